"""One AES-256-GCM key per scope, stored in the graph and wrapped by a master key that is stored apart from the data.

Invariants:
- Sealed data is bound to its scope (associated data), so it cannot be opened for another scope.
- Destroying the key of a scope makes everything sealed with it unreadable for good.
- A copy of the data cannot be read without the master key.
"""

import base64
import binascii
import hmac
import os
import secrets
import stat
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ..errors import ConfigurationError, Conflict, ScopeErased
from ..memory.fencing import held_token
from ..memory.ports import ScopeFence
from ..memory.scope import Scope
from .graph.engine import GraphEngine, Statement, cypher

KEY_BYTES = 32
NONCE_BYTES = 12
HASH_LABEL = b"hashes of personal data"  # what the derived key is for


class ScopeKeyRing:
    """``KeyRing`` over either graph engine.  ``master_key``: 32 bytes (``load_master_key``)."""

    def __init__(self, engine: GraphEngine, fence: ScopeFence, master_key: bytes) -> None:
        if len(master_key) != KEY_BYTES:
            raise ConfigurationError(f"the master key has {len(master_key)} bytes: it must have {KEY_BYTES}")
        self._engine, self._fence = engine, fence
        self._master = AESGCM(master_key)
        self._cypher = cypher("scope_state")

    async def seal(self, scope: Scope, plain: bytes) -> str:
        key = await self._key_to_write(scope)
        nonce = secrets.token_bytes(NONCE_BYTES)
        return base64.b64encode(nonce + AESGCM(key).encrypt(nonce, plain, _associated_data(scope))).decode()

    async def hash_key(self, scope: Scope) -> bytes:
        return hmac.digest(await self._key_to_write(scope), HASH_LABEL, "sha256")

    async def _key_to_write(self, scope: Scope) -> bytes:
        key = await self._key(scope)
        claim = held_token()
        if claim is not None and claim.scope == scope:
            # After the read: if the token is still valid, the key is older than any erasure that the task must not survive.
            await self._fence.check(claim)
        return key or await self._new_key(scope)

    async def open(self, scope: Scope, sealed: str) -> bytes:
        key = await self._key(scope)
        if key is None:
            raise ScopeErased("this scope's key was destroyed: its sealed data can no longer be read")
        try:
            raw = base64.b64decode(sealed, validate=True)
            return AESGCM(key).decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], _associated_data(scope))
        except (InvalidTag, binascii.Error, ValueError):
            raise ScopeErased("sealed with another key than this scope's, or damaged: it cannot be read") from None

    async def destroy(self, scope: Scope) -> bool:
        parameters = {"uid": scope.key}
        counted, _ = await self._engine.write(
            [Statement(self._cypher["count_key"], parameters), Statement(self._cypher["destroy_key"], parameters)]
        )
        return bool(counted[0]["n"])

    async def _key(self, scope: Scope) -> bytes | None:
        # Not cached: a key that another process destroyed must be unusable here at once.
        rows = await self._engine.read(self._cypher["key"], {"uid": scope.key})
        if not rows:
            return None
        raw = base64.b64decode(rows[0]["wrapped"])
        try:
            return self._master.decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], _wrapping_data(scope))
        except InvalidTag:
            raise ConfigurationError(
                "the master key is not the one this data was written with: put the right key file in place"
            ) from None

    async def _new_key(self, scope: Scope) -> bytes:
        key = AESGCM.generate_key(bit_length=8 * KEY_BYTES)
        nonce = secrets.token_bytes(NONCE_BYTES)
        wrapped = base64.b64encode(nonce + self._master.encrypt(nonce, key, _wrapping_data(scope))).decode()
        parameters = {"uid": scope.key, "scope": scope.key, "wrapped": wrapped}
        try:
            await self._engine.write([Statement(self._cypher["create_key"], parameters)])
        except Conflict:  # another writer made it at the same moment
            existing = await self._key(scope)
            if existing is None:
                raise
            return existing
        return key


def load_master_key(path: Path) -> bytes:
    """Read the key file.  If there is none, create it with a new key (file mode 0600, folder mode 0700).

    Raises:
        ConfigurationError: the file is readable by other users, unreadable, or contains no key.
    """
    try:
        text = _create_key_file(path) or path.read_text("ascii")
        mode = stat.S_IMODE(path.stat().st_mode)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the key file {path} cannot be read ({error}): check its path and rights") from error
    if mode & 0o077:
        raise ConfigurationError(f"the key file {path} has mode {mode:04o}: run chmod 600 on it")
    key = _decode_key(text)
    if key is None:
        raise ConfigurationError(
            f"the key file {path} contains no key: restore it from a backup (a new key cannot read the old data)"
        )
    return key


def master_key_from(text: str) -> bytes:
    """Parse a key from the environment.  Raises: ConfigurationError (the message does not contain the text)."""
    key = _decode_key(text)
    if key is None:
        raise ConfigurationError(
            f"the master key must be {KEY_BYTES} random bytes in base64: make one with "
            f"`head -c {KEY_BYTES} /dev/urandom | base64`"
        )
    return key


def _decode_key(text: str) -> bytes | None:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if len(key) == KEY_BYTES else None


def _create_key_file(path: Path) -> str | None:
    """Create the key file and return its text; None if the file exists."""
    if path.exists():
        return None
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    text = base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode() + "\n"
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)  # atomic: fails if another process created the file first, and then its key is used
        return text
    except FileExistsError:
        return None
    finally:
        draft.unlink()


def _associated_data(scope: Scope) -> bytes:
    return b"sealed|" + scope.key.encode()


def _wrapping_data(scope: Scope) -> bytes:
    return b"scope-key|" + scope.key.encode()
