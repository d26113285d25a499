"""The widgets; none of them knows a transport.

Modules:
- Bases: `painted` (lines drawn when they are seen), `ground`, `scrolled`, `searched` (what `/` searches),
  `halves` (how two share a screen), `fitted` (as tall as what is in it).
- Lists and texts: `traffic`, `rows`, `items`, `findings` with `findings_pane`, `detail`, `provider`, `overview`.
- Bars: `bars`, `viewtabs`, `foot`, `folded`, `findbar`.
- Parts of a form: `tick`, `oneof`.
"""
