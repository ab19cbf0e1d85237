"""Working memory: the newest entries of one manager, kept in the process only."""

from collections import deque
from dataclasses import replace
from uuid import uuid4

from ..indexing.tokenizer import terms
from ..learning.local_summary import local_summary
from ..memory.tokens import count_tokens
from .entries import MemoryEntry, format_entry

WORKING_ENTRIES = 50


class WorkingEntries:
    """At most ``most`` entries: adding another removes the oldest."""

    def __init__(self, most: int = WORKING_ENTRIES) -> None:
        self.most = most
        self._entries: deque[MemoryEntry] = deque(maxlen=most)

    def append(self, entry: MemoryEntry) -> None:
        self._entries.append(entry)

    def entries(self) -> list[MemoryEntry]:
        """A copy, oldest first."""
        return list(self._entries)

    def tokens(self) -> int:
        """Estimated number of tokens of all entries."""
        return sum(count_tokens(entry.content) for entry in self._entries)

    def get(self, entry_id: str) -> MemoryEntry | None:
        return next((entry for entry in self._entries if entry.id == entry_id), None)

    def delete(self, entry_id: str) -> bool:
        """Whether there was such an entry."""
        found = self.get(entry_id)
        if found is not None:
            self._entries.remove(found)
        return found is not None

    def replace(self, entry: MemoryEntry) -> MemoryEntry:
        """Put an entry in the place of the one with its id."""
        self._entries[next(place for place, each in enumerate(self._entries) if each.id == entry.id)] = entry
        return entry

    def search(self, query: str, limit: int, threshold: float = 0.0) -> list[MemoryEntry]:
        """Search by words.  ``score``: share of the query's words in the entry.  Equal ones are ordered newest first."""
        wanted, scored = set(terms(query)), []
        for place, entry in enumerate(self._entries):
            said = terms(f"{entry.content} {' '.join(entry.metadata.values())}")
            score = 2 * sum(term in wanted for term in said)
            score += sum(any(want in term for term in said) for want in wanted)
            share = len(wanted & set(said)) / len(wanted) if wanted else 0.0
            if score and share >= threshold:
                scored.append((score, place, replace(entry, score=share)))
        return [entry for _, _, entry in sorted(scored, key=lambda item: item[:2], reverse=True)[:limit]]

    def compact(self, keep_last: int, summarize_older: bool) -> int:
        """Replace all but the newest entries by one summary, or delete them.  Returns the number of entries replaced."""
        older = self.entries()[: max(0, len(self._entries) - keep_last)]
        newest = self.entries()[len(older) :]
        if not older:
            return 0
        self._entries.clear()
        if summarize_older:
            before = "\n".join(entry.content for entry in older if "summary" in entry.metadata)
            summary = local_summary([format_entry(entry) for entry in older if "summary" not in entry.metadata], before)
            self._entries.append(
                MemoryEntry(id=str(uuid4()), content=summary, timestamp=older[-1].timestamp, metadata={"summary": "true"})
            )
        self._entries.extend(newest)
        return len(older)

    def clear(self) -> None:
        self._entries.clear()
