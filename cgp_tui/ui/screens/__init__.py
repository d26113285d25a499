"""The screens, and what they are made of.

Modules:
- `inspector` is the screen over a transcript. It is built up from `travel` (moving), `panes`, `recall` (as it was left),
  `views` (traffic, findings, provider) and `selecting` (the detail follows the cursor).
- What the inspector does in modules of its own: `marking`, `naming` (filters), `copying`, `proving`, `explanation` (why it
  is judged so), `jumping`, `columns`, `presets`.
- Consent: `consent` (the ledger), `prompt` (grant or deny), `why` (it was refused), `withdrawal`, `trust` (a key).
- `composer` asks a question; `entries` is home and the list of providers; `help`.
- Bases: `modal` (stands before another), `dialog`, `reader` (a text), `question`; `confirm` and `leave` ask
  before something is lost.
"""
