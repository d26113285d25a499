"""One widgets: one module each."""
