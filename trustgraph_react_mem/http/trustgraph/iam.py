"""API keys and tokens of TrustGraph's identity service (IAM), resolved as TrustGraph's gateway resolves them.

Invariants:
- A credential that cannot be checked is refused, also while the service does not answer.
- What the service said is used for a minute at most, so a key that was revoked or a user that was disabled is out by then.
- A principal has a user.  Nothing here leads to the memory that all users of a workspace share.

Source: trustgraph-flow 2.11.1, ``gateway/auth.py`` and ``iam/service/iam.py``.
"""

import asyncio
import base64
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Generic, TypeVar

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from trustgraph.schema import IamRequest

from ...bus.external_client import MemoryBus
from ...errors import EngineUnavailable, NotPermitted
from ..keys import digest_of
from ..principal import Principal

T = TypeVar("T")

PREFIX = "tg_"  # of TrustGraph's API keys
KEY_ID = "iam:"  # begins the id of a principal
CAPABILITY = "agent"  # who may use the agents of a workspace has a memory of their own there
TIMEOUT_S = 10.0
CACHE_S = 60.0  # as in TrustGraph's gateway
KEY_AGAIN_S = 10.0  # between two requests for the public key, if signatures do not match it
MOST_CACHED = 10_000
MOST_AT_ONCE = 32  # requests to the service
MOST_CREDENTIAL = 8_192  # characters


def _principal(handle: str, user: str, workspace: str) -> Principal:
    """``handle``: how the service knows the user.  ``user``: whose memory it is."""
    return Principal(key_id=f"{KEY_ID}{handle}", kind="user", workspace=workspace, user=user)


def memory_user(handle: str, user_context: object) -> str:
    """The user of a verified identity: the one that a minted token names, else the holder of the credential.

    A service that mints tokens for its own users holds all of them itself: its handle would mix their memories.
    """
    named = user_context.get("user_id") if isinstance(user_context, Mapping) else None
    return named if isinstance(named, str) and named else handle


class TrustGraphIam:
    """``resolve`` is a ``Resolver`` of ``Identity``, and ``enter_workspace`` belongs into ``Listener``.

    ``flow``: whose agents the caller must be allowed to use.  ``now``: seconds since 1970, which decide whether a token has
    expired.  ``elapsed``: seconds of a clock that is never set, for all other times.
    """

    def __init__(
        self,
        open_bus: Callable[[], Awaitable[MemoryBus]],
        flow: str = "default",
        *,
        now: Callable[[], float] = time.time,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_bus = open_bus
        self._flow = flow
        self._now = now
        self._elapsed = elapsed
        self._at_once = asyncio.Semaphore(MOST_AT_ONCE)
        self._keys: Cache[Principal] = Cache(elapsed)
        self._decisions: Cache[bool] = Cache(elapsed)
        self._public_key: Ed25519PublicKey | None = None
        self._fetched_at = -KEY_AGAIN_S

    async def resolve(self, credential: str) -> Principal | None:
        """None: not of TrustGraph, or not valid.  Raises: NotPermitted (may not use agents), EngineUnavailable."""
        if len(credential) > MOST_CREDENTIAL:
            return None
        if credential.startswith(PREFIX):
            found = await self._resolve_key(credential)
        elif credential.count(".") == 2:
            found = await self._verify_token(credential)
        else:
            return None
        return None if found is None else await self._permit(found)

    async def enter_workspace(self, principal: Principal, workspace: str) -> Principal:
        """The caller in another workspace.  Raises: NotPermitted, EngineUnavailable."""
        if not principal.key_id.startswith(KEY_ID):
            raise NotPermitted(f"the key {principal.key_id} is for the workspace {principal.workspace!r} alone: name no other")
        if principal.key_id != f"{KEY_ID}{principal.user}":
            raise NotPermitted(f"a token that was minted for a user is for the workspace {principal.workspace!r} alone")
        return await self._permit(replace(principal, workspace=workspace))

    async def _permit(self, principal: Principal) -> Principal:
        """The principal, if it may use the agents of its workspace.  Raises: NotPermitted, EngineUnavailable."""
        handle, workspace = principal.key_id.removeprefix(KEY_ID), principal.workspace
        allowed = self._decisions.get(f"{handle}\n{workspace}")
        if allowed is None:
            asked = IamRequest(
                operation="authorise",
                user_id=handle,
                capability=CAPABILITY,
                resource_json=json.dumps({"flow": self._flow, "workspace": workspace}, sort_keys=True),
                parameters_json="{}",
            )
            answer = await self._ask(asked)
            allowed = bool(answer.decision_allow) and answer.error is None
            self._decisions.set(f"{handle}\n{workspace}", allowed, max(0, min(answer.decision_ttl_seconds or 0, CACHE_S)))
        if not allowed:
            raise NotPermitted(f"TrustGraph does not permit this user to use agents in the workspace {workspace[:60]!r}")
        return principal

    async def _resolve_key(self, key: str) -> Principal | None:
        if (cached := self._keys.get(digest_of(key))) is not None:
            return cached
        answer = await self._ask(IamRequest(operation="resolve-api-key", api_key=key))
        if answer.error is not None or not (answer.resolved_user_id and answer.resolved_default_workspace):
            return None
        handle = answer.resolved_user_id
        found = _principal(handle, handle, answer.resolved_default_workspace)
        self._keys.set(digest_of(key), found, CACHE_S)
        return found

    async def _verify_token(self, token: str) -> Principal | None:
        claims = await self._claims(token)
        if claims is None:
            return None
        handle, workspace, until = (claims.get(name) for name in ("sub", "default_workspace", "exp"))
        if not isinstance(until, int | float) or not until >= self._now():
            return None
        if not (isinstance(handle, str) and handle and isinstance(workspace, str) and workspace):
            return None
        return _principal(handle, memory_user(handle, claims.get("user_context")), workspace)

    async def _claims(self, token: str) -> Mapping[str, Any] | None:
        """The claims of a token that the service signed.  A key that was replaced is fetched again."""
        if self._public_key is not None and (claims := verify(token, self._public_key)) is not None:
            return claims
        if self._elapsed() - self._fetched_at < KEY_AGAIN_S:
            return None
        self._fetched_at = self._elapsed()
        answer = await self._ask(IamRequest(operation="get-signing-key-public"))
        self._public_key = _read_public_key(answer.signing_key_public)
        return None if self._public_key is None else verify(token, self._public_key)

    async def _ask(self, request: IamRequest) -> Any:
        """Raises: EngineUnavailable."""
        bus = await self._open_bus()
        async with self._at_once:
            answer = await bus.ask_identity_service(request, TIMEOUT_S)
        if answer.error is not None and answer.error.type == "internal-error":
            raise EngineUnavailable("TrustGraph's identity service failed to check the credential: try again")
        return answer


class Cache(Generic[T]):
    """Values for a limited time, the latest ones."""

    def __init__(self, elapsed: Callable[[], float]) -> None:
        self._elapsed = elapsed
        self._values: OrderedDict[str, tuple[T, float]] = OrderedDict()

    def get(self, key: str) -> T | None:
        value, until = self._values.get(key, (None, 0.0))
        return value if until > self._elapsed() else None

    def set(self, key: str, value: T, for_s: float) -> None:
        self._values.pop(key, None)
        self._values[key] = (value, self._elapsed() + for_s)
        while len(self._values) > MOST_CACHED:
            self._values.popitem(last=False)


def verify(token: str, key: Ed25519PublicKey) -> Mapping[str, Any] | None:
    """The claims of a JSON Web Token that is signed with EdDSA (RFC 8037).  None: it is not valid.

    The algorithm is fixed here, so that a token cannot choose a weaker one.
    """
    try:
        head, body, signature = token.encode("ascii").split(b".")
        if json.loads(_decode(head)).get("alg") != "EdDSA":
            return None
        key.verify(_decode(signature), head + b"." + body)
        claims = json.loads(_decode(body))
    except (ValueError, AttributeError, RecursionError, InvalidSignature):
        return None
    return claims if isinstance(claims, dict) else None


def _decode(part: bytes) -> bytes:
    return base64.b64decode(part + b"=" * (-len(part) % 4), altchars=b"-_", validate=True)


def _read_public_key(pem: str) -> Ed25519PublicKey | None:
    try:
        key = load_pem_public_key(pem.encode("ascii"))
    except (ValueError, UnsupportedAlgorithm):
        return None
    return key if isinstance(key, Ed25519PublicKey) else None
