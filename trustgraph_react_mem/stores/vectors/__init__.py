"""The vector engines: Qdrant's server and qdrant-edge in process."""
