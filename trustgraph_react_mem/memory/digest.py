"""When two contents are the same memory: equal after Unicode normalisation, case folding and joining of white space."""

import hashlib
import unicodedata

_END_MARKS = " .。!！"


def normalised(content: str) -> str:
    """The text that identity is decided on; a final full stop or exclamation mark does not make another fact."""
    folded = unicodedata.normalize("NFKC", content).casefold()
    return " ".join(folded.split()).rstrip(_END_MARKS)


def content_digest(content: str, speaker: str = "") -> str:
    """Hexadecimal digest (128 bits) of the normalised content, and of who said it where that is given."""
    text = normalised(content)
    if speaker.strip():
        text = f"{normalised(speaker)}\0{text}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def fact_digests(content: str, speaker: str) -> list[str]:
    """What a fact is found by: its content, and its content with its speaker where that is named."""
    return list(dict.fromkeys((content_digest(content), content_digest(content, speaker))))


def one_speaker(first: str, second: str) -> bool:
    """False for two named speakers who differ: the same sentence of two people is two facts."""
    one, other = normalised(first), normalised(second)
    return not one or not other or one == other
