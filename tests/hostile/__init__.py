"""Attacks and faults against a running stack, judged from outside: ``python -m pytest tests/hostile``."""
