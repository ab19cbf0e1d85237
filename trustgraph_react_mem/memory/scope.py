"""Scopes: whose memory a record belongs to.  Every store call takes one; there is no default and no wildcard."""

import functools
from dataclasses import dataclass
from urllib.parse import quote, unquote

from ..errors import BadRequest, MissingScope

MAX_NAME = 200
DOCUMENTS = ".store"  # ending of the collection beside another one


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Workspace, user and collection.  User ``""`` is the shared memory of the workspace, as used by a stock gateway.

    Raises:
        MissingScope: workspace or collection is empty.
        BadRequest: a name is too long, ill-formed, or contains control characters.  ``ScopeNames`` refuses more in new names.
    """

    workspace: str
    user: str
    collection: str

    def __post_init__(self) -> None:
        for field_name in ("workspace", "user", "collection"):
            value = getattr(self, field_name)
            if not isinstance(value, str):
                raise BadRequest(f"{field_name} must be a string, not {type(value).__name__}")
            if not value and field_name != "user":
                raise MissingScope(f"a memory call needs a {field_name}: name one (a stock gateway's is 'default')")
            if len(value) > MAX_NAME:
                raise BadRequest(f"{field_name} has {len(value)} characters: use at most {MAX_NAME}")
            if any(ord(c) < 32 or ord(c) == 127 or 0xD800 <= ord(c) < 0xE000 for c in value):
                raise BadRequest(f"{field_name} {value!r} contains control characters or an unpaired surrogate: remove them")

    @property
    def key(self) -> str:
        """The scope as one reversible string: the partition key on the bus and the filter value in the engines."""
        return _key(self.workspace, self.user, self.collection)

    @classmethod
    def from_key(cls, key: str) -> "Scope":
        parts = key.split("/")
        if len(parts) != 3:
            raise BadRequest(f"{key!r} is not a scope key: expected workspace/user/collection")
        workspace, user, collection = (unquote(part) for part in parts)
        return cls(workspace=workspace, user=user, collection=collection)


def documents_of(scope: Scope) -> Scope:
    """The scope beside this one for what programs keep and agents are never shown.  It is erased with this one."""
    return Scope(workspace=scope.workspace, user=scope.user, collection=scope.collection + DOCUMENTS)


def has_documents(scope: Scope) -> bool:
    """Whether there can be a scope beside this one: it is not such a one itself, and the name leaves room for the ending."""
    return not scope.collection.endswith(DOCUMENTS) and len(scope.collection) + len(DOCUMENTS) <= MAX_NAME


@functools.lru_cache(maxsize=4096)
def _key(*names: str) -> str:
    return "/".join(quote(name, safe="") for name in names)
