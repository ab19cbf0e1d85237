"""Commands of refinement sessions."""
