"""Refinement: a draft is criticised and revised until it stands.  Pure: no I/O.

A session is the fold of its append-only log of events (``machine``).  The conversations service stores the events.
"""
