"""One widget a module; none knows a transport."""
