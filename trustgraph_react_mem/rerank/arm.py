"""A/B test: which scopes learn.  The arm depends only on the scope, so it never changes for a user."""

import hashlib


def in_learning_arm(scope_key: str, share: float) -> bool:
    """True for about ``share`` (0 to 1) of all scopes.  Raising the share only adds scopes.  0 = none, 1 = all."""
    digest = hashlib.sha256(b"rmm-arm\x1f" + scope_key.encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 < share
