"""Keys for one purpose each, derived from the master key."""

import hmac


def derive_key(master_key: bytes, purpose: str) -> bytes:
    """32 bytes that depend on the master key and the purpose.  Keys of different purposes say nothing of each other."""
    return hmac.digest(master_key, b"purpose|" + purpose.encode(), "sha256")
