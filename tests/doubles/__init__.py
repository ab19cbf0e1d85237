"""Test doubles of the ports.  Each passes the conformance suite of the engine it stands for."""
