"""The vector engines: a Qdrant server, or qdrant-edge in this process."""
