"""The key store of the HTTP listener: one small file in the data directory, which several processes use.

Invariants:
- A key is shown once.  Only its SHA-256 digest is stored: a key is 256 random bits, so there is nothing to guess, and a slow
  hash, as passwords need it, would only slow down each request.
- The file has mode 0600 and is replaced as a whole.  Writers hold a file lock, readers none.
- A reader looks at the file at each request, so a revoked key is refused at once, in all processes.
- A link is a key that is good for one exchange, within minutes, against a session of the web page.  It opens no route.
"""

import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ..directories import make_private_directory, replace_private_file
from ..errors import BadRequest, ConfigurationError, NotFound
from ..memory.scope import Scope
from ..memory.scope_names import check_name, compose
from .principal import KeyKind, Principal

FILE, LOCK = "http-keys.json", "http-keys.lock"  # in the data directory
MARK = "rmem"  # the first part of each key, by which secret scanners and people know it
KEY_BYTES, ID_BYTES = 32, 4
MOST_KEYS = 10_000
FORM = re.compile(rf"{MARK}_([0-9a-f]{{{2 * ID_BYTES}}})_([0-9a-f]{{{2 * KEY_BYTES}}})")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key without its secret.  ``user`` and ``collections`` as in ``Principal``; times in ISO 8601, "" = never.

    ``link_until``: of a link, when it ends; "" = a key.
    """

    id: str
    kind: KeyKind
    digest: str = field(repr=False)
    created_at: str
    workspace: str = "default"
    user: str = ""
    collections: tuple[str, ...] = ()
    writes: bool = True
    label: str = ""
    last_used_at: str = ""
    revoked_at: str = ""
    link_until: str = ""

    @property
    def prefix(self) -> str:
        """The visible beginning of the key."""
        return f"{MARK}_{self.id}"

    @property
    def principal(self) -> Principal:
        rights = {each.name: getattr(self, each.name) for each in fields(Principal) if each.name != "key_id"}
        return Principal(key_id=self.id, **rights)


_KEYS: TypeAdapter[list[ApiKey]] = TypeAdapter(list[ApiKey])
Version = tuple[int, int, int]


class KeyFile:
    """The keys in ``directory``.  ``now``: for tests."""

    def __init__(self, directory: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._directory = directory
        self._path = directory / FILE
        self._now = now
        self._known: tuple[Version | None, dict[str, ApiKey]] = (None, {})
        self._used: dict[str, str] = {}  # id -> last use that is not stored yet

    def create(
        self,
        kind: KeyKind,
        *,
        workspace: str = "default",
        user: str = "",
        collections: Sequence[str] = (),
        writes: bool = True,
        label: str = "",
        link_s: float = 0,
    ) -> tuple[ApiKey, str]:
        """A new key, and its secret, which cannot be read again.  ``link_s``: make a link that ends after these seconds.

        Raises: BadRequest (user and kind do not fit, or a name is not valid), ConfigurationError (the file cannot be used).
        """
        if (kind == "user") != bool(user):
            raise BadRequest(
                f"a {kind} key belongs to no user: leave the user out, or make a user key"
                if user
                else "a user key needs a user: name one, or make a service or admin key"
            )
        user, collections = compose(user), tuple(compose(name) for name in collections)
        for name in collections or ("default",):
            Scope(workspace=workspace, user=user, collection=name)
            check_name("collection", name)
        check_name("user", user)
        check_name("label", label)
        with self._writing() as keys:
            if len(keys) >= MOST_KEYS:
                raise BadRequest(f"there are {len(keys)} keys, which is the most: revoke some with `react-mem keys revoke`")
            identity = next(made for made in iter(lambda: secrets.token_hex(ID_BYTES), "") if made not in keys)
            secret = f"{MARK}_{identity}_{secrets.token_hex(KEY_BYTES)}"
            keys[identity] = ApiKey(
                id=identity,
                kind=kind,
                digest=digest_of(secret),
                created_at=self._time(),
                workspace=workspace,
                user=user,
                collections=collections,
                writes=writes,
                label=label[:200],
                link_until=self._time(link_s) if link_s else "",
            )
        return keys[identity], secret

    def list(self) -> list[ApiKey]:
        """All keys, oldest first, revoked ones included, without links.  Raises: ConfigurationError."""
        return sorted((key for key in self._load().values() if not key.link_until), key=lambda key: key.created_at)

    def revoke(self, which: str) -> ApiKey:
        """``which``: id or visible prefix.  A key that was revoked before stays as it is.  Raises: NotFound."""
        identity = which.strip().removeprefix(f"{MARK}_")[: 2 * ID_BYTES]
        with self._writing() as keys:
            if identity not in keys:
                raise NotFound("there is no key with this id: `react-mem keys list` shows the ids")
            if not keys[identity].revoked_at:
                keys[identity] = replace(keys[identity], revoked_at=self._time())
        return keys[identity]

    def find(self, secret: str) -> ApiKey | None:
        """The key with this secret; None if there is none, or it was revoked.  Raises: ConfigurationError."""
        key = self._with_secret(secret)
        if key is None or key.link_until:
            return None
        self._used[key.id] = self._time()
        return key

    async def resolve(self, credential: str) -> Principal | None:
        """The holder of a key, for ``Identity``.  Raises: ConfigurationError."""
        key = self.find(credential)
        return key.principal if key is not None else None

    def redeem(self, secret: str) -> ApiKey | None:
        """The link with this secret, which is gone afterwards; None if there is none, or it has ended.

        Raises: ConfigurationError.
        """
        link = self._with_secret(secret)
        if link is None or not link.link_until:
            return None
        with self._writing() as keys:  # of two that redeem one link, one finds it
            return keys.pop(link.id, None)

    def _with_secret(self, secret: str) -> ApiKey | None:
        form = FORM.fullmatch(secret)
        key = self._load().get(form[1]) if form is not None else None
        if key is None or key.revoked_at or not hmac.compare_digest(key.digest, digest_of(secret)):
            return None
        return key if not key.link_until or self._now() < datetime.fromisoformat(key.link_until) else None

    def store_uses(self) -> None:
        """Write down when keys were last used.  Apart from ``find``, because a write for each request would be slow."""
        used, self._used = self._used, {}
        if used:
            with self._writing() as keys:
                for identity in used.keys() & keys.keys():
                    keys[identity] = replace(keys[identity], last_used_at=used[identity])

    def _time(self, later_s: float = 0) -> str:
        return (self._now() + timedelta(seconds=later_s)).isoformat(timespec="seconds")

    def _load(self) -> dict[str, ApiKey]:
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._unusable(error.strerror or "") from error
        version = (status.st_mtime_ns, status.st_ino, status.st_size)
        if version != self._known[0]:
            if stat.S_IMODE(status.st_mode) & 0o077:
                raise self._unusable(f"its mode {stat.S_IMODE(status.st_mode):04o} lets other accounts read it")
            self._known = version, self._read()
        return self._known[1]

    def _read(self) -> dict[str, ApiKey]:
        try:
            return {key.id: key for key in _KEYS.validate_json(self._path.read_bytes())}
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError) as error:
            raise self._unusable(getattr(error, "strerror", None) or "it is damaged") from error

    def _unusable(self, why: str) -> ConfigurationError:
        return ConfigurationError(f"the key file {self._path} cannot be used ({why}): restore it, or run chmod 600 on it")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[dict[str, ApiKey]]:
        """The keys, to be changed in place.  They are stored when the block ends without an error."""
        make_private_directory(self._directory)
        try:
            with open(self._directory / LOCK, "a", opener=lambda path, flags: os.open(path, flags, 0o600)) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                now = self._time()
                keys = {each.id: each for each in self._read().values() if not each.link_until or each.link_until > now}
                yield keys
                text = json.dumps([asdict(key) for key in keys.values()], indent=1, ensure_ascii=False)
                replace_private_file(self._path, text)
        except OSError as error:
            raise self._unusable(f"{error.strerror}: {error.filename}") from error


def digest_of(secret: str) -> str:
    """What is kept of a credential in place of it."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
