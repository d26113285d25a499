"""What was asked for? The commands: each reads its options, calls one room below, and reports the result.

Laws:
- stdout is data and leaves through `output`, machine documents as ASCII bytes that no locale, colour or width changes;
  stderr is narration and leaves through `diagnostics`, which alone knows exit codes.
- What a command has changed is told: on stderr where stdout takes nothing, and before an interruption ends the run.
- Everything after the first `--` is the provider's argv, unchanged; CMD without `--` is a usage error (`options`).
- `main` holds one table of commands; the module of a command is imported when it is run, never before.
- Processes of our own are started by `check --jobs` alone (`parts`); they never outlive the command.
- Text from outside is printed only as `Shown` (cgp_tui/text.py).

Modules:
- In: `main` (the table of commands), `root`, `options`, `completion` (in a shell), `complaint` (the parser's). Out:
  `output`, `diagnostics`, `shapes`.
- Transcripts: `check` with `lookups`, `choice`, `explain` and `parts`; `replay` and `playback`; `prove`, `verify_bundle`,
  `schema`.
- Sessions: `home`, `demo` and `tour`, `inspect` and `live`, `query` with `question` and `provider_end`, `serve`,
  `providers`.
- Consent: `consent`, `grant`, `policy`, `withdraw`, `proof` (show, check, head), `audit`, `exchange`, `recover`; `trust`.
- Shared: `asked`, `configured` (which provider is meant), `ledgers`, `named`, `own_terminal`, `recording`, `screen`,
  `preferences`, `trusted`.

Called only by the console script and by `python -m cgp_tui`.
"""
