"""Putting memory into a running TrustGraph, and taking it out again: an overlay on an installed blueprint.

``overlay`` turns a blueprint into one with memory, ``plan`` says what an installation or removal would change, and
``apply`` does it.
Everything written is recorded with its digest, so that an upgrade replaces only what we wrote and a removal leaves nothing.
"""

from .contents import contents
from .overlay import overlay_blueprint
from .plan import ConfigurationStore, Plan, PlannedChange, apply, plan_install, plan_uninstall

__all__ = [
    "ConfigurationStore",
    "Plan",
    "PlannedChange",
    "apply",
    "contents",
    "overlay_blueprint",
    "plan_install",
    "plan_uninstall",
]
