"""Commands that keep stored memories in order."""
