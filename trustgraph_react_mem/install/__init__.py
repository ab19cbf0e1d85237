"""Add memory to a running TrustGraph, and remove it: an overlay on an installed blueprint.

``overlay`` derives a blueprint with memory, ``plan`` computes the changes of an installation or removal, ``apply`` writes them.
Every written value is recorded with its digest, so that an upgrade replaces only our own values and a removal leaves none.
"""
