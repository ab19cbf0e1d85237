"""Attacks and faults against a running stack, judged from outside: ``python -m tests.hostile``."""
