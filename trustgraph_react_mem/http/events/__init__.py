"""Events of memories and jobs: ``GET /v1/events``."""
