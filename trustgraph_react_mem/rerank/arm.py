"""Which scopes learn: an A/B arm that is a function of the scope alone, so that it never changes under a user."""

import hashlib


def in_learning_arm(scope_key: str, share: float) -> bool:
    """True for about ``share`` (0..1) of all scopes; raising the share only adds scopes.  0 = nobody, 1 = everybody."""
    digest = hashlib.sha256(b"rmm-arm\x1f" + scope_key.encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 < share
