"""The processors: one module (or package) per process, and the operations that they serve."""
