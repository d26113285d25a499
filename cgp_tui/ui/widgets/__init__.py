"""The widgets, one to a module; none of them knows a transport."""
