"""Data policy: find personal data and secrets before a text is stored, and keep, redact, hash or drop them.

A finding never contains the text that was found.  All work is linear in the text.
"""

import asyncio
import hashlib
import hmac
import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .personal_data import find_personal
from .secret_patterns import find_secrets
from .visible_text import visible

logger = logging.getLogger(__name__)

LONG = 20_000  # characters above which a text is screened in a thread: it takes up to a second
DEADLINE_S = 30.0

PersonalData = Literal["keep", "redact", "hash", "drop"]
Secrets = Literal["redact", "drop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveSpan:
    """``text[start:end]`` is sensitive.  ``secret``: a secret, otherwise personal data."""

    kind: str
    start: int
    end: int
    secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """A text after the policy was applied.

    ``dropped``: the text must not be stored, and ``text`` is empty.  ``found``: number of findings by kind.
    """

    text: str
    dropped: bool = False
    found: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPolicy:
    """What to do with personal data and with secrets.  ``salt`` makes hashes of different scopes differ."""

    personal_data: PersonalData = "keep"
    secrets: Secrets = "redact"
    salt: str = ""

    def screen(self, text: str) -> Screened:
        """Apply the policy to a text.

        >>> DataPolicy(personal_data="redact").screen("write to ann@example.org").text
        'write to [email]'
        """
        found = find_sensitive(text, personal=self.personal_data != "keep")
        if not found:
            return Screened(text=text)
        counts = Counter(item.kind for item in found)
        if any((self.secrets if item.secret else self.personal_data) == "drop" for item in found):
            return Screened(text="", dropped=True, found=counts)
        parts, at = [], 0
        for item in found:
            parts += [text[at : item.start], self._replacement(item, text[item.start : item.end])]
            at = item.end
        return Screened(text="".join([*parts, text[at:]]), found=counts)

    async def screen_async(self, text: str, *, deadline_s: float = DEADLINE_S) -> Screened:
        """As ``screen``, without holding up the event loop for a long text.  A text that takes too long is dropped."""
        if len(text) <= LONG:
            return self.screen(text)
        try:
            async with asyncio.timeout(deadline_s):
                return await asyncio.to_thread(self.screen, text)
        except TimeoutError:
            logger.warning(
                "timeout: screening a text of %d characters took more than %g s, it is not kept", len(text), deadline_s
            )
            return Screened(text="", dropped=True, found={"unscreened": 1})

    def _replacement(self, item: SensitiveSpan, found: str) -> str:
        if not item.secret and self.personal_data == "hash":
            digest = hmac.new(self.salt.encode(), found.casefold().encode(), hashlib.sha256).hexdigest()[:10]
            return f"[{item.kind} {digest}]"
        return f"[{item.kind}]"


def find_sensitive(text: str, *, personal: bool = True) -> list[SensitiveSpan]:
    """Secrets and, if ``personal``, personal data, in text order without overlaps.

    Of overlapping findings a secret wins over personal data, then the longer over the shorter one.
    """
    seen = visible(text)
    found = [
        SensitiveSpan(kind="secret", start=start, end=end, secret=True)
        for start, end in (seen.original(*span) for span in find_secrets(seen.text))
    ]
    if personal:
        for kind, start, end in find_personal(seen.text):
            begin, finish = seen.original(start, end)
            found.append(SensitiveSpan(kind=kind, start=begin, end=finish))
    return _without_overlaps(found)


def _without_overlaps(found: list[SensitiveSpan]) -> list[SensitiveSpan]:
    """Linear after sorting: overlapping secrets become one, and personal data that touches a chosen span goes."""
    chosen: list[SensitiveSpan] = []
    for item in sorted(found, key=lambda span: (span.start, not span.secret, -span.end)):
        last = chosen[-1] if chosen else None
        if last is None or item.start >= last.end:
            chosen.append(item)
        elif item.secret and last.secret:
            chosen[-1] = SensitiveSpan(kind="secret", start=last.start, end=max(last.end, item.end), secret=True)
        elif (item.secret, item.end - item.start) > (last.secret, last.end - last.start):
            chosen[-1] = item
    return chosen
