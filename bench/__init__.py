"""Measurements: ``make bench`` runs them all, ``make bench ONLY=name`` one."""
