"""Implementations of the ports in ``memory.ports`` over graph and vector engines."""
