"""Erasure, undo and repair: everything that removes or restores records."""
