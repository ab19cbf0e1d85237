"""What of a text its author does not claim: pasted text, quotations, reports of others, and what is only supposed."""

import re
from functools import lru_cache

from ..text.pasted import without_pasted
from .forms import KEPT

_QUOTATION = re.compile(r'"[^"\n]*"|“[^“”\n]*”|„[^„“\n]*“|«[^«»\n]*»|»[^«»\n]*«|「[^「」\n]*」|『[^『』\n]*』')
# What somebody wrote, without quotation marks; what is only supposed.
_WRITTEN = re.compile(
    r"\b(?:wrote|writes?|said|says?|texted|draft|compose|translate|story|poem|reads?|sang|sings?"
    r"|asked|schrieb|sagte|sagt|singt|dit|écrit|dice|dijo|scrive)\b[^.:\n]{0,60}:.*"
)
_SUPPOSED = re.compile(
    r"\b(?:in (?:my|the|a|his|her) (?:novel|book|story|dream|game|film|movie|song|play|poem)|act as|role-?play"
    r"|imagine|pretend|suppose|according to|let's say|what if|as if|(?:he|she|they|it) (?:sings?|sang|wrote"
    r"|writes)|angenommen|stell dir vor(?!,? (?:ich|wir) (?:hab|bin|sind|werd|kann|muss|zieh|geh|arbeit|wohn)\w*)"
    r"|tu so|imaginons|supposons|imagina|supón|fingi|mettiamo|stel je voor|wyobraź|представь|допустим)\b[^.!?\n]*",
    re.IGNORECASE,
)
_NAME_LENGTH, _NAME_WORDS = 8, 2  # of a name in quotation marks, in scripts without spaces and with them


@lru_cache(maxsize=KEPT)
def without_quotations(text: str) -> str:
    """Without pasted text, what another person said, and what is only supposed.  Names in quotation marks stay."""
    return _SUPPOSED.sub("…", _WRITTEN.sub("…", _QUOTATION.sub(_unless_name, without_pasted(text))))


def _unless_name(found: re.Match[str]) -> str:
    quoted = found.group()
    named = len(quoted) <= _NAME_LENGTH + 2 if quoted[0] in "「『" else len(quoted.split()) <= _NAME_WORDS
    return quoted if named else "…"
