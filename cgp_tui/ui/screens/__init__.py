"""The screens, and what they are made of.

Modules:
- `inspector` is the screen over a transcript, a class on five others, to be read in this order: `travel` (what it is made
  of; moving about, filter and search), `panes` (how list and detail share the screen), `recall` (as it was left),
  `views` (traffic, findings, provider), `selecting` (the detail follows the cursor); then time, bars and steps.
- What the inspector does in modules of its own: `marking`, `naming` (filters), `copying`, `proving`, `explanation` (why it
  is judged so), `jumping`, `columns`, `presets`.
- Consent: `consent` (the ledger), `prompt` (grant or deny), `why` (it was refused), `withdrawal`, `trust` (a key).
- `composer` asks a question; `entries` is home and the list of providers; `help`.
- Bases: `modal` (stands before another), `dialog`, `reader` (a text), `question`; `confirm` and `leave` ask
  before something is lost.
"""
