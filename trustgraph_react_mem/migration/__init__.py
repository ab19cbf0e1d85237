"""Moving stored memories from one embedding model to another."""
