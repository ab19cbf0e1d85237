"""Data policy: find personal data and secrets before a text is stored, and keep, redact, hash or drop them.

A finding never contains the text that was found.  All work is linear in the text.
"""

import asyncio
import hashlib
import hmac
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from ..errors import BadRequest
from .ports import KeyRing
from .scope import Scope
from .screening.personal_data import find_personal
from .screening.secrets import find_secrets
from .text.visible import visible

LONG = 20_000  # characters above which a text is screened in a thread: it takes up to a second

PersonalData = Literal["keep", "keep-shared", "redact", "hash", "drop"]
KEPT = ("keep", "keep-shared")
#: Names of metadata whose values refer to records.  Personal data in them is kept, like that in ids.
REFERENCES = frozenset({"turn", "session", "sources", "invocation_id", "operation", "only_in", "turns", "item"})


SECRET = "secret"


class Finding(NamedTuple):
    """``text[start:end]`` is a secret, or personal data of another kind."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """A text after the policy was applied.

    ``dropped``: the text must not be stored, and ``text`` is empty.  ``found``: number of findings by kind.
    ``fields``: of metadata.
    """

    text: str
    dropped: bool = False
    found: Mapping[str, int] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPolicy:
    """What to do with personal data (``policy_of`` makes one for a scope).  Secrets are always redacted.

    ``hash_key``: the scope's key for hashes.  Without one, personal data is redacted instead: an unkeyed hash of a telephone
    number can be reversed by trying all numbers.
    """

    personal_data: PersonalData = "keep"
    hash_key: bytes = field(default=b"", repr=False)

    def screen(self, text: str) -> Screened:
        """Apply the policy to a text.

        >>> DataPolicy(personal_data="redact").screen("write to ann@example.org").text
        'write to [email]'
        """
        found = find_sensitive(text, personal=self.personal_data not in KEPT)
        if not found:
            return Screened(text=text)
        counts = Counter(item.kind for item in found)
        if self.personal_data == "drop" and any(item.kind != SECRET for item in found):
            return Screened(text="", dropped=True, found=counts)
        parts, at = [], 0
        for item in found:
            parts += [text[at : item.start], self._replacement(item.kind, text[item.start : item.end])]
            at = item.end
        return Screened(text="".join([*parts, text[at:]]), found=counts)

    async def screen_async(self, text: str) -> Screened:
        """As ``screen``, without holding up the event loop for a long text."""
        return self.screen(text) if len(text) <= LONG else await asyncio.to_thread(self.screen, text)

    async def screen_map_async(self, fields: Mapping[str, str]) -> Screened:
        """As ``screen_map``, without holding up the event loop for much metadata."""
        long = sum(len(name) + len(value) for name, value in fields.items()) > LONG
        return await asyncio.to_thread(self.screen_map, fields) if long else self.screen_map(fields)

    def screen_name(self, name: str) -> str:
        """A person's name, which tells speakers apart: personal data in it is hashed unless the policy keeps it."""
        policy = self if self.personal_data in KEPT else replace(self, personal_data="hash")
        return policy.screen(name).text

    def check_id(self, what: str, value: str) -> None:
        """Refuse an id that holds a secret.  Ids are references: they are never changed, and personal data in them is kept.

        Raises: BadRequest (the message names ``what``, not the value).
        """
        if len(value) > LONG:
            raise BadRequest(f"{what} has {len(value)} characters: use at most {LONG}")
        if find_sensitive(value, personal=False):
            raise BadRequest(f"{what} holds a secret, and ids are stored as they are: use one without it")

    def screen_map(self, fields: Mapping[str, str]) -> Screened:
        """Metadata, names and values together: a name such as "password" shows that its value is a secret.

        Returns a ``Screened`` whose ``fields`` are the ones to store.
        """
        kept: dict[str, str] = {}
        counts: Counter[str] = Counter()
        for name, value in fields.items():
            policy = replace(self, personal_data="keep") if name in REFERENCES else self
            key = policy.screen(name)
            pair = policy.screen(f"{key.text}: {value}")
            if not pair.dropped and not pair.text.startswith(f"{key.text}: "):
                pair = policy.screen(value)
            for part in (key, pair):
                counts.update(part.found)
            if key.dropped or pair.dropped:
                return Screened(text="", dropped=True, found=counts)
            kept[key.text] = pair.text.removeprefix(f"{key.text}: ")
        return Screened(text="", fields=kept, found=counts)

    def _replacement(self, kind: str, found: str) -> str:
        if kind != SECRET and self.personal_data == "hash" and self.hash_key:
            digest = hmac.new(self.hash_key, found.casefold().encode(), hashlib.sha256).hexdigest()[:10]
            return f"[{kind} {digest}]"
        return f"[{kind}]"


async def policy_of(keyring: KeyRing, scope: Scope, personal_data: PersonalData) -> DataPolicy:
    """The policy of a scope, with its key for hashes."""
    key = b"" if personal_data in KEPT else await keyring.hash_key(scope)
    return DataPolicy(personal_data=personal_data, hash_key=key)


def find_sensitive(text: str, *, personal: bool = True) -> list[Finding]:
    """Secrets and, if ``personal``, personal data, in text order without overlaps.

    Of overlapping findings a secret wins over personal data, then the longer over the shorter one.  Overlapping secrets become
    one.
    """
    seen = visible(text)
    found = [(SECRET, *span) for span in find_secrets(seen.text)]
    if personal:
        found += find_personal(seen.text)
    spans = [Finding(kind, *seen.original(start, end)) for kind, start, end in found]
    chosen: list[Finding] = []
    for item in sorted(spans, key=lambda span: (span.start, span.kind != SECRET, -span.end)):
        last = chosen[-1] if chosen else None
        if last is None or item.start >= last.end:
            chosen.append(item)
        elif item.kind == last.kind == SECRET:
            chosen[-1] = Finding(SECRET, last.start, max(last.end, item.end))
        elif (item.kind == SECRET, item.end - item.start) > (last.kind == SECRET, last.end - last.start):
            chosen[-1] = item
    return chosen
