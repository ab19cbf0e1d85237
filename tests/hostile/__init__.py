"""Attacks and faults against a running stack, judged from outside: ``make hostile``."""
