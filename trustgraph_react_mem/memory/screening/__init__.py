"""Find secrets and personal data in a visible text."""
