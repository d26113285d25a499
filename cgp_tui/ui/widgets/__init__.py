"""The widgets; none of them knows a transport.

Modules:
- Bases: `painted` (lines drawn when they are seen), `ground`, `scrolled`, `searched` (what `/` searches).
- Lists and texts: `traffic`, `rows`, `items`, `findings`, `detail`, `provider`, `overview`.
- Bars: `bars`, `viewtabs`, `foot`, `folded`, `findbar`.
- Parts of a form: `tick`, `oneof`.
"""
