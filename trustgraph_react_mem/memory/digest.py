"""When two contents are the same memory: equal after Unicode normalisation, case folding and joining of white space."""

import hashlib
import unicodedata

_END_MARKS = " .。!！"


def normalised(content: str) -> str:
    """The text that identity is decided on; a final full stop or exclamation mark does not make another fact."""
    folded = unicodedata.normalize("NFKC", content).casefold()
    return " ".join(folded.split()).rstrip(_END_MARKS)


def content_digest(content: str) -> str:
    """Hexadecimal digest (128 bits) of the normalised content."""
    return hashlib.blake2b(normalised(content).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
