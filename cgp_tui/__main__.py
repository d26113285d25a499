"""`python -m cgp_tui` is `cgp-tui`."""

import sys

from cgp_tui.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
