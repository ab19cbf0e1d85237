"""Forgetting, undoing and repairing: everything that removes or restores records."""
