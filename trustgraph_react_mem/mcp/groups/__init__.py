"""Groups of tools that are off by default."""
