"""Events of memories and jobs, and TrustGraph's socket: ``GET /v1/events`` and ``GET /v1/socket``."""
