"""Commands of the interfaces for other programs."""
