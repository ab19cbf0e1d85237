"""Whether a quotation occurs in a line, after Unicode and white space are normalised.

The comparison knows no language.  Compatibility forms, case, and kinds of quotation marks and dashes count as the same, because
a model may write them in another form than the person did.
"""

import unicodedata

SHORTEST = 2  # characters of a quotation that shows something; a whole line may be shorter
_AROUND = "\"' .…"
_MARKS = str.maketrans(dict.fromkeys("‘’‚‛`´", "'") | dict.fromkeys("“”„‟«»", '"') | dict.fromkeys("‐‑‒–—―−", "-"))


def normalise(text: str) -> str:
    """The text in one form: NFKC, case folded, white space as single spaces, one kind of quotation mark and of dash."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().translate(_MARKS).split())


def quote_occurs(quote: str, line: str) -> bool:
    """Whether ``line`` has the words of ``quote``.  Marks and full stops around the quotation do not count.

    >>> quote_occurs("We’ve  moved", "we've moved to Lüneburg")
    True
    >>> quote_occurs("the code is now 4417", "can you believe how hot it was")
    False
    """
    wanted, said = normalise(quote).strip(_AROUND), normalise(line)
    return wanted in said if len(wanted) >= SHORTEST else wanted != "" and wanted == said.strip(_AROUND)
