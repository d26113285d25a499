"""One screens: one module each."""
