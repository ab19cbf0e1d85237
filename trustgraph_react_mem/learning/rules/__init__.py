"""Standing instructions that a person gives and withdraws."""
