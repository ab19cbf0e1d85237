"""The passage of a long text that matters for a question."""

import re

from ..memory.tokens import count_tokens
from .tokenizer import guess_language, terms

MOST_SENTENCES = 2000
OWN_WORD = 3  # what a word of the question counts, beside one of its context
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|(?<=\d)\.(?=\d)){1,400}[.!?。！？\n]*\s*")


def best_passage(text: str, question: str, tokens: int, *, context: str = "") -> str:
    """Consecutive sentences of at most ``tokens`` tokens with the most different words of the question; the first if equal.

    The text itself if it is short enough; "" if there is room for nothing.  Sentences beyond the 2,000th are not read.
    ``context``: the question with words of the conversation, which count less than its own.
    """
    if len(text) <= 8 * tokens and count_tokens(text) <= tokens:
        return text
    sentences = _SENTENCE.findall(text)[:MOST_SENTENCES]
    sizes = [count_tokens(sentence) for sentence in sentences]
    # All in one language: a short sentence is easily taken for another, and its words would have other stems.
    language = guess_language(question) or "auto"
    wanted = dict.fromkeys(terms(context, language), 1) | dict.fromkeys(terms(question, language), OWN_WORD)
    found = [wanted.keys() & terms(each, language) for each in sentences] if wanted else [set[str]() for _ in sentences]
    best, span = -1, (0, 0)
    first = used = 0
    for last, size in enumerate(sizes):  # the longest window that ends with each sentence
        used += size
        while used > tokens and first < last:
            used -= sizes[first]
            first += 1
        score = sum(wanted[term] for term in set().union(*found[first : last + 1]))
        if score > best and used <= tokens:
            best, span = score, (first, last + 1)
    passage = "".join(sentences[slice(*span)]).strip()
    if not passage and sentences:  # one sentence is longer than the room
        passage = sentences[0][: max(0, 3 * tokens)].strip()
        while passage and count_tokens(passage) > tokens:
            passage = passage[: len(passage) * 3 // 4]
    before, after = "… " if span[0] else "", " …"
    return f"{before}{passage}{after}" if passage else ""
