"""The keys of scopes: wrapped by a master key, and kept in a key store apart from the data.

Each scope has one secret with three parts: a key for hashes, the key of sealed data that belongs to no turn, and a tree of keys
with one for each turn (``keys.punctured``).

Invariants:
- Sealed data is bound to its scope and to what the caller names (associated data: id, kind and time of a job), so it cannot be
  opened as anything else.
- Destroying the secret of a scope makes everything sealed with it unreadable for good.  Forgetting a turn does the same for
  what was sealed for this turn, and for nothing else.
- A copy of the data cannot be read without the key store, nor the key store without the master key.
"""

import base64
import binascii
import secrets
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ..errors import BadRequest, ConfigurationError, Conflict, ScopeErased
from ..memory.fencing import held_token
from ..memory.ports import Clock, KeyStore, ScopeFence
from ..memory.scope import Scope
from .keys import SCOPE_KEY
from .keys.master import KEY_BYTES
from .keys.punctured import tag_of
from .keys.secret import FORMER_KEPT, ID_BYTES, LARGE_BYTES, NO_TURN, OLD_KEPT, TAG_BYTES, Generation, ScopeSecret

NONCE_BYTES, MAC_BYTES, TIME_BYTES = 12, 16, 5
HEAD_BYTES = ID_BYTES + TAG_BYTES + TIME_BYTES  # of sealed text, in clear: generation, tag of the turn, time of sealing
SEALED = "2."  # how sealed text begins; text of version 0.1.0 begins otherwise
TRIES = 16  # attempts to change a secret that others change, too
CACHED = 1024


class ScopeKeyRing:
    """``KeyRing`` over any key store.  ``master_key``: 32 bytes (``load_master_key``)."""

    def __init__(self, store: KeyStore, fence: ScopeFence, master_key: bytes, clock: Clock) -> None:
        if len(master_key) != KEY_BYTES:
            raise ConfigurationError(f"the master key has {len(master_key)} bytes: it must have {KEY_BYTES}")
        self._store, self._fence, self._clock = store, fence, clock
        self._master = AESGCM(master_key)
        # What was unwrapped last.  It is used only for the very bytes that the store returned again.
        self._secrets: OrderedDict[Scope, tuple[bytes, ScopeSecret]] = OrderedDict()

    @property
    def remains(self) -> str:
        return self._store.remains

    async def seal(self, scope: Scope, plain: bytes, *, binding: bytes = b"", turn: str = "") -> str:
        secret = await self._secret_to_write(scope)
        tag = _tag(secret, turn)
        key = secret.current.key(tag)
        if key is None:  # the turn was forgotten, and is said again
            secret = await self._start_generation(scope)
            key = secret.current.key(tag)
            assert key is not None
        at = int(self._clock.now().timestamp()).to_bytes(TIME_BYTES)
        nonce, head = secrets.token_bytes(NONCE_BYTES), secret.current.id + tag + at
        sealed = AESGCM(key).encrypt(nonce, plain, _associated_data(scope, head, binding))
        return SEALED + base64.b64encode(head + nonce + sealed).decode()

    async def open(self, scope: Scope, sealed: str, *, binding: bytes = b"") -> bytes:
        secret = await self._secret(scope)
        if secret is None:
            raise ScopeErased("this scope's key was destroyed: its sealed data can no longer be read")
        if not sealed.startswith(SEALED):
            return self._open_old(scope, secret, sealed)
        raw = _decode(sealed)
        head, nonce, text = raw[:HEAD_BYTES], raw[HEAD_BYTES : HEAD_BYTES + NONCE_BYTES], raw[HEAD_BYTES + NONCE_BYTES :]
        generation = await self._generation(scope, secret, head[:ID_BYTES])
        key = generation.key(head[ID_BYTES : ID_BYTES + TAG_BYTES]) if generation is not None else None
        if key is None:
            raise ScopeErased("sealed with a key that was destroyed, or with another scope's: it cannot be read")
        try:
            return AESGCM(key).decrypt(nonce, text, _associated_data(scope, head, binding))
        except InvalidTag:
            raise BadRequest("the payload is damaged, or was sealed for another job id, kind or time: drop the job") from None

    def read_sealing_time(self, sealed: str) -> datetime | None:
        if not sealed.startswith(SEALED):
            return None
        try:
            return datetime.fromtimestamp(int.from_bytes(_decode(sealed)[HEAD_BYTES - TIME_BYTES : HEAD_BYTES]), UTC)
        except (BadRequest, OverflowError, ValueError, OSError):
            return None

    async def is_current(self, scope: Scope, sealed: str) -> bool:
        secret = await self._secret(scope)
        return secret is not None and sealed.startswith(SEALED) and _decode(sealed)[:ID_BYTES] == secret.current.id

    async def hash_key(self, scope: Scope) -> bytes:
        return (await self._secret_to_write(scope)).hash_key

    async def destroy(self, scope: Scope) -> bool:
        self._secrets.pop(scope, None)
        return await self._store.destroy(scope)

    async def forget(self, scope: Scope, turns: Collection[str]) -> int:
        secret = await self._secret(scope)
        if secret is None:
            return 0
        tags = {_tag(secret, turn) for turn in turns} - {NO_TURN}
        readable = sum(secret.current.key(tag) is not None for tag in tags)
        # Former generations open what still waits in topics, for ``FORMER_KEPT`` at most.  Then they are destroyed as a whole.
        expired = self._clock.now() - FORMER_KEPT
        gone = [name for name, at in secret.former.items() if at < expired and name != secret.current.name]
        for name in {*secret.former} - {*gone}:
            await self._replace(scope, name, partial(self._forget_in_former, scope, name, tags))
        secret = await self._change(
            scope,
            lambda now: replace(
                now,
                current=now.current.forget(tags),
                former={name: at for name, at in now.former.items() if name not in gone},
                old=b"",
            ),
        )
        for name in gone:
            await self._store.destroy(scope, name)
        # Each forgotten turn makes the key larger: it holds a key for every branch without that turn.
        if secret is not None and len(secret.current.to_bytes()) > LARGE_BYTES:
            await self._start_generation(scope)
        return readable

    # ------------------------------------------------------------------------------------------------ secrets

    async def _secret_to_write(self, scope: Scope) -> ScopeSecret:
        """The scope's secret, which is created or brought to the current format if needed."""
        secret = await self._secret(scope)
        # After the read: if the token is still valid, the key is older than any erasure that the task must not survive.
        await self._check_token(scope)
        if secret is None:
            new = self._wrap(scope, SCOPE_KEY, ScopeSecret().to_bytes())
            stored = await self._store.create(scope, SCOPE_KEY, new, lambda: self._check_token(scope))
            secret = self._read_secret(scope, stored)
        if not secret.stored:
            until = self._clock.now() + OLD_KEPT
            secret = await self._change(scope, lambda now: now if now.stored else replace(now, old_until=until))
        if secret is None:
            raise Conflict("the key of this scope was destroyed by an erasure at this moment: try again")
        return secret

    async def _check_token(self, scope: Scope) -> None:
        claim = held_token()
        if claim is not None and claim.scope == scope:
            await self._fence.check(claim)

    async def _secret(self, scope: Scope) -> ScopeSecret | None:
        stored = await self._store.read(scope, SCOPE_KEY)
        return self._read_secret(scope, stored) if stored is not None else None

    async def _generation(self, scope: Scope, secret: ScopeSecret, generation_id: bytes) -> Generation | None:
        if generation_id == secret.current.id:
            return secret.current
        name = f"former-{generation_id.hex()}"
        stored = await self._store.read(scope, name) if name in secret.former else None
        return self._read_generation(scope, name, stored) if stored is not None else None

    async def _start_generation(self, scope: Scope) -> ScopeSecret:
        """Seal with a new generation from now on.

        The current one is first listed as a former one, so that an interruption leaves no copy of it that ``forget`` does not
        find.
        """
        now = self._clock.now()
        listed = await self._change(scope, lambda secret: replace(secret, former={**secret.former, secret.current.name: now}))
        if listed is not None:
            old = listed.current
            value = self._wrap(scope, old.name, old.to_bytes())
            await self._store.create(scope, old.name, value, lambda: self._check_token(scope))
            listed = await self._change(
                scope, lambda now: replace(now, current=Generation()) if now.current.id == old.id else now
            )
        if listed is None:
            raise Conflict("the key of this scope was destroyed by an erasure at this moment: try again")
        return listed

    async def _change(self, scope: Scope, change: Callable[[ScopeSecret], ScopeSecret]) -> ScopeSecret | None:
        """Compare and set, until it succeeds.  None: the scope has no secret.  Raises Conflict."""

        def again(stored: bytes) -> bytes:
            before = self._read_secret(scope, stored)
            after = change(before)
            return stored if after == before and before.stored else self._wrap(scope, SCOPE_KEY, after.to_bytes())

        value = await self._replace(scope, SCOPE_KEY, again)
        return self._read_secret(scope, value) if value is not None else None

    async def _replace(self, scope: Scope, name: str, change: Callable[[bytes], bytes]) -> bytes | None:
        """The stored value after the change.  None: there is none.  Raises Conflict."""
        for _ in range(TRIES):
            stored = await self._store.read(scope, name)
            value = change(stored) if stored is not None else None
            if stored is None or value is None or value == stored or await self._store.replace(scope, name, stored, value):
                return value
        raise Conflict("a key of this scope is being changed by many writers: try again")

    # ------------------------------------------------------------------------------------------------ wrapping

    def _read_secret(self, scope: Scope, stored: bytes) -> ScopeSecret:
        known = self._secrets.get(scope)
        if known is None or known[0] != stored:
            known = (stored, ScopeSecret.from_bytes(self._unwrap(scope, SCOPE_KEY, stored)))
            self._secrets[scope] = known
            while len(self._secrets) > CACHED:
                self._secrets.popitem(last=False)
        return known[1]

    def _read_generation(self, scope: Scope, name: str, stored: bytes) -> Generation:
        return Generation.from_bytes(self._unwrap(scope, name, stored))

    def _forget_in_former(self, scope: Scope, name: str, tags: Collection[bytes], stored: bytes) -> bytes:
        return self._wrap(scope, name, self._read_generation(scope, name, stored).forget(tags).to_bytes())

    def _open_old(self, scope: Scope, secret: ScopeSecret, sealed: str) -> bytes:
        """Open what version 0.1.0 sealed.  It is bound to the scope alone, so its key is used for a limited time only."""
        try:
            if secret.old_until is not None and secret.old_until < self._clock.now():
                raise ValueError("expired")
            raw = base64.b64decode(sealed, validate=True)
            return AESGCM(secret.old).decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], b"sealed|" + scope.key.encode())
        except (InvalidTag, ValueError):  # also: there is no such key, or no Base64
            raise ScopeErased("sealed with another key than this scope's, or damaged: it cannot be read") from None

    def _wrap(self, scope: Scope, name: str, plain: bytes) -> bytes:
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._master.encrypt(nonce, plain, _wrapping_data(scope, name))

    def _unwrap(self, scope: Scope, name: str, stored: bytes) -> bytes:
        try:
            return self._master.decrypt(stored[:NONCE_BYTES], stored[NONCE_BYTES:], _wrapping_data(scope, name))
        except (InvalidTag, ValueError):
            raise ConfigurationError(
                "the master key is not the one this data was written with: put the right key file in place"
            ) from None


def _tag(secret: ScopeSecret, turn: str) -> bytes:
    return tag_of(secret.hash_key, turn) if turn else NO_TURN


def _decode(sealed: str) -> bytes:
    """Raises BadRequest."""
    try:
        raw = base64.b64decode(sealed.removeprefix(SEALED), validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) < HEAD_BYTES + NONCE_BYTES + MAC_BYTES:
        raise BadRequest("the sealed payload is damaged: it cannot be read")
    return raw


def _associated_data(scope: Scope, head: bytes, binding: bytes) -> bytes:
    return b"|".join((b"sealed", scope.key.encode(), head, binding))


def _wrapping_data(scope: Scope, name: str) -> bytes:
    named = b"" if name == SCOPE_KEY else b"|" + name.encode()  # as in version 0.1.0
    return b"scope-key|" + scope.key.encode() + named
