"""Migration of stored memories from one embedding model to another."""
