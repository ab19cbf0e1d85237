"""The records of a scope as columns in memory: words, vectors and payloads."""
