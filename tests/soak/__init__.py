"""A stack under load for a long time, with faults every minute: ``python -m tests.soak``."""
