"""Identity of contents: two are the same memory if they are equal after normalisation.

Normalisation means NFKC, case folding, collapsed white space, and no full stop or exclamation mark at the end.
"""

import hashlib
import unicodedata

_END_MARKS = " .。!！"


def normalise_text(content: str) -> str:
    """The form of a text that is compared for identity."""
    folded = unicodedata.normalize("NFKC", content).casefold()
    return " ".join(folded.split()).rstrip(_END_MARKS)


def content_digest(content: str, speaker: str = "") -> str:
    """Hexadecimal digest (128 bits) of the normalised content, together with the speaker if one is given."""
    text = normalise_text(content)
    if speaker.strip():
        text = f"{normalise_text(speaker)}\0{text}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def fact_digests(content: str, speaker: str) -> list[str]:
    """The digests under which a fact is stored: of its content, and of its content with its speaker if it has one."""
    return list(dict.fromkeys((content_digest(content), content_digest(content, speaker))))


def is_same_speaker(first: str, second: str) -> bool:
    """False if both speakers are named and differ.  The same sentence said by two people is two facts."""
    one, other = normalise_text(first), normalise_text(second)
    return not one or not other or one == other
