"""Other names of the people of a scope, learned from its turns: see indexing/other_names.py."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from numpy.typing import NDArray

from ...indexing.other_names import find_addressed, own_names, relations

VOTES = 2  # turns in which a name must be used for the same speaker
READ = 50  # turns that are looked at for one name


class People:
    """By slot of the turn that shows it: who is addressed by which name, and who is what to the speaker.

    The slots are those of ``ScopeColumns``.
    """

    def __init__(self) -> None:
        self._addressed: dict[str, dict[int, None]] = {}
        self._own: dict[str, dict[int, None]] = {}
        self._related: dict[str, dict[int, str]] = {}  # relation -> slot -> name
        self._relations: dict[str, dict[int, str]] = {}  # name -> slot -> relation
        self._tables: dict[int, list[dict[int, Any]]] = {}

    def __bool__(self) -> bool:
        return bool(self._tables)

    def add(self, slot: int, text: str, *, by_assistant: bool) -> None:
        for name in find_addressed(text):
            self._note(self._addressed, name, slot, None)
        if by_assistant:
            return
        for name in own_names(text):
            self._note(self._own, name, slot, None)
        for name, relation in relations(text).items():
            self._note(self._related, relation, slot, name)
            self._note(self._relations, name, slot, relation)

    def _note(self, table: dict[str, dict[int, Any]], key: str, slot: int, value: Any) -> None:
        at = table.setdefault(key, {})
        at[slot] = value
        self._tables.setdefault(slot, []).append(at)

    def remove(self, slot: int) -> None:
        for at in self._tables.pop(slot, ()):
            at.pop(slot, None)

    def find_called(self, name: str, speaker: NDArray[Any], sides: Sequence[NDArray[Any]]) -> int:
        """Number of the speaker whom others call by a name, or who gives it as their own; 0 if that is not certain.

        ``speaker`` (n,): numbers of speakers.  ``sides``: (n,) slots of the turns before and after, -1 for none.
        """
        votes = Counter[int]()
        for slot in islice(self._addressed.get(name, ()), READ):
            others = (int(speaker[side[slot]]) for side in sides if side[slot] >= 0)
            votes[next((other for other in others if other not in (0, speaker[slot])), 0)] += 1
        for slot in islice(self._own.get(name, ()), READ):
            votes[int(speaker[slot])] += VOTES
        best, count = max(votes.items(), key=lambda item: item[1], default=(0, 0))
        return best if count >= VOTES and 2 * count > votes.total() else 0

    def find_related(self, relation: str, by: Iterable[int], speaker: NDArray[Any]) -> str:
        """The name of the person who is this to one of the speakers ``by``, as most of their turns say; "" if unknown."""
        wanted = set(by)
        found = Counter(name for slot, name in self._related.get(relation, {}).items() if int(speaker[slot]) in wanted)
        return found.most_common(1)[0][0] if found else ""

    def relations_of(self, name: str) -> frozenset[str]:
        """What the person of this name is to others: "wife"."""
        return frozenset(self._relations.get(name, {}).values())
