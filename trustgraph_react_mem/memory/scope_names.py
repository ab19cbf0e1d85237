"""The names of users and collections as requests give them, and the scope that they mean.

One name can be typed in several ways that look the same.  New scopes have the composed form (Unicode NFC), so "José" is one
user on every keyboard.  Earlier versions stored names as they came: such a scope is still found by its name, unless there is
one with the composed name.

The name of a workspace is TrustGraph's and part of topic names, so it is never changed.
"""

import time
import unicodedata
from collections.abc import Callable

from ..errors import BadRequest
from .ports import ScopeDirectory
from .scope import Scope

KEPT_S = 30.0  # how long the answer of the store is used
MOST_KEPT = 10_000
_JOINERS = "\u200c\u200d"  # inside words of Persian, Hindi and others, and in emoji
_REFUSED = ("Cc", "Cf", "Cs", "Zl", "Zp")


class ScopeNames:
    """Finds scopes by the names in requests.  ``directory`` is asked only about names that are not ASCII."""

    def __init__(self, directory: ScopeDirectory, clock: Callable[[], float] = time.monotonic) -> None:
        self._directory = directory
        self._clock = clock
        self._known: dict[tuple[str, str, str], tuple[float, Scope]] = {}

    async def find(self, workspace: str, user: str, collection: str) -> Scope:
        """The scope that the names mean: of the stored ones the composed form first, else a new one in the composed form.

        Raises:
            BadRequest, MissingScope: as ``Scope``; or the scope would be new and a name has characters that nobody sees.
            EngineUnavailable
        """
        given = Scope(workspace=workspace, user=user, collection=collection)
        if user.isascii() and collection.isascii():
            return given
        now, key = self._clock(), (workspace, user, collection)
        since, found = self._known.get(key, (0.0, given))
        if key not in self._known or now - since > KEPT_S:
            found = await self._find(given)
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[key] = now, found
        return found

    async def _find(self, given: Scope) -> Scope:
        users, collections = spellings(given.user), spellings(given.collection)
        stored = {
            (each.user, each.collection) for user in users for each in await self._directory.of_user(given.workspace, user)
        }
        pairs = [(user, collection) for user in users for collection in collections]
        user, collection = next((pair for pair in pairs if pair in stored), pairs[0])
        if (user, collection) not in stored:
            users_stored = {name for name, _ in stored}
            user = next((name for name in users if name in users_stored), user)
            if user not in users_stored:
                check_name("user", user)
            check_name("collection", collection)
        return Scope(workspace=given.workspace, user=user, collection=collection)


def compose(name: str) -> str:
    """The form in which names of new scopes are stored."""
    return unicodedata.normalize("NFC", name)


def spellings(name: str) -> list[str]:
    """The forms under which a scope of this name may be stored, the composed one first."""
    return list(dict.fromkeys((compose(name), name, unicodedata.normalize("NFD", name))))


def check_name(what: str, name: str) -> None:
    """Refuse a name with control characters or invisible ones.  Joiners inside a word stay, because they change it.

    Raises: BadRequest.
    """
    for place, letter in enumerate(name):
        if letter in _JOINERS and _is_inside_word(name, place):
            continue
        if unicodedata.category(letter) in _REFUSED or letter == "\ufffd":
            label = unicodedata.name(letter, "a control character")
            raise BadRequest(
                f"{what} {name[:60]!r} contains U+{ord(letter):04X} ({label}): remove it, it is invisible or damaged"
            )


def _is_inside_word(name: str, place: int) -> bool:
    beside = (name[place - 1 : place], name[place + 1 : place + 2])
    return all(letter and unicodedata.category(letter)[0] in "LMNS" for letter in beside)
