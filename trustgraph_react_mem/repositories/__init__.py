"""Facts and episodes over graph and vector index: the write order that survives any crash."""
