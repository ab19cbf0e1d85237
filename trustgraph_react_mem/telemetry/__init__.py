"""Traces and metrics.

Prometheus metrics beside TrustGraph's own, and traces that follow OpenTelemetry's conventions for generative AI.  Without a
configured SDK no span is made.  Neither contains user text, a user or a collection.
"""
