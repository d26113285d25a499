"""What was asked for? The commands: each reads its options, calls one room below, and says what came of it.

Laws:
- stdout is data and leaves through `output`, machine documents as ASCII bytes that no locale, colour or width changes;
  stderr is narration and leaves through `diagnostics`, which alone knows exit codes.
- Everything after the first `--` is the provider's argv, unchanged; CMD without `--` is a usage error (`options`).
- `main` holds one table of commands; the module of a command is imported when it is run, never before.
- Processes of our own are started by `check --jobs` alone (`parts`); they never outlive the command.
- Text from outside is printed only as `Shown` (cgp_tui/text.py).

Nobody calls it but the console script and `python -m cgp_tui`.
"""
