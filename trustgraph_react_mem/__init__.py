"""Memory for TrustGraph's agents: recall before the loop, durable learning after it, a ranking that learns."""

__version__ = "0.1.0"
