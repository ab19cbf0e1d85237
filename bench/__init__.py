"""Benchmarks.  ``make bench`` runs them all, ``make bench ONLY=name`` runs one."""
