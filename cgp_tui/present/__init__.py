"""What do people get to read? Rows, cards and steps, as values; nothing here draws.

Laws:
- Foreign text is `Shown` before it gets into a row: it came through `cgp_tui.text`, and mypy refuses a plain string.
- A colour is a token (`sent`, `bad`, `good` …) beside a symbol or a word, never the only sign; a symbol has an ASCII twin.
- What was claimed and what was computed stand side by side (SPEC B3), a proof shows each hash (SPEC 6.5.3), and what a
  signature does not cover is named (SPEC 6.5.2, F9). A score is its provider's own number, without a scale or a bar
  (SPEC F10).
- Pure: rows are made from values, for a width in cells; no clock, no file, no toolkit.

Modules:
- How: `spans`, `layout`, `symbols`, `numbers`, `key_sentences` (sentences that name keys), `marked`.
- Traffic: `traffic`, `summary`, `note`, `overview`, `filterbar`, `searching`.
- One record: `subject`, `detail`, `message`, `answer`, `sums`, `frame`, `evidence`, `envelope`, `tree`,
  `member_findings`, `lookups`.
- Findings: `findings`, `grouped`, `requirement`, `why`, `proven`.
- Consent: `consent` and `choices` (the prompt), `until`, `decisions`, `timeline`, `uses`, `refusal`, `withdrawal`,
  `scopes`, `consent_lines` and `egress` (plain lines), `trust`.
- Sessions: `home`, `session`, `provider`, `providers`, `form` (the question), `copying`.

Called by `ui` and `cli`. It imports `analysis`, `consent` and everything below.
"""
