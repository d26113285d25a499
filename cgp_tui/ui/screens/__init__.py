"""The screens, one to a module, and the helpers they share."""
