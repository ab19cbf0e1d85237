"""The passage of a long text that matters for a question."""

import re
from collections.abc import Mapping, Sequence, Set

from ..memory.tokens import count_tokens
from .tokenizer import guess_language, terms

MOST_SENTENCES = 2000
OWN_WORD = 3  # what a word of the question counts, beside one of its context
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|(?<=\d)\.(?=\d)){1,400}[.!?。！？\n]*\s*")


def best_passage(text: str, question: str, tokens: int, *, context: str = "") -> str:
    """Consecutive sentences of at most ``tokens`` tokens with the most different words of the question.

    If several have as many: the one with most sentences that have any, and text on both sides of them, because what is asked
    often follows the sentence that names it.  If words of the question are only elsewhere in the text, as of a page whose
    title names what a line far below is about, half of the tokens are for a passage with these.

    The text itself if it is short enough; "" if there is room for nothing.  Sentences beyond the 2,000th are not read.
    ``context``: the question with words of the conversation, which count less than its own.
    """
    if len(text) <= 8 * tokens and count_tokens(text) <= tokens:
        return text
    sentences = _SENTENCE.findall(text)[:MOST_SENTENCES]
    sizes = [count_tokens(sentence) for sentence in sentences]
    # All in one language: a short sentence is easily taken for another, and its words would have other stems.
    language = guess_language(question) or "auto"
    own = dict.fromkeys(terms(question, language), OWN_WORD)
    wanted = dict.fromkeys(terms(context, language), 1) | own
    found = [wanted.keys() & terms(each, language) for each in sentences] if wanted else [set[str]() for _ in sentences]
    spans = [_best_span(sizes, found, wanted, tokens)]
    everywhere = own.keys() & set().union(*found)
    if everywhere - set().union(*found[slice(*spans[0])]):
        first = _best_span(sizes, found, wanted, tokens // 2)
        missing = dict.fromkeys(everywhere - set().union(*found[slice(*first)]), OWN_WORD)
        second = _best_span(sizes, [each & missing.keys() for each in found], missing, tokens // 2)
        if first[1] <= second[0] or second[1] <= first[0]:
            spans = sorted([first, second])
    passages = [(start, "".join(sentences[start:end]).strip(), end) for start, end in spans]
    if not any(passage for _, passage, _ in passages) and sentences:  # one sentence is longer than the room
        passages = [(0, _shorten(sentences[0], tokens), 1)]
    shown = " … ".join(passage for _, passage, _ in passages if passage)
    before = "… " if passages and passages[0][0] else ""
    return f"{before}{shown} …" if shown else ""


def _best_span(sizes: Sequence[int], found: Sequence[Set[str]], wanted: Mapping[str, int], tokens: int) -> tuple[int, int]:
    """The first sentence of the best passage, and the one after it; equal if no sentence fits."""
    best, span = (-1, 0, 0, 0), (0, 0)
    first = used = 0
    for last, size in enumerate(sizes):  # the longest window that ends with each sentence
        used += size
        while used > tokens and first < last:
            used -= sizes[first]
            first += 1
        score = sum(wanted[term] for term in set().union(*found[first : last + 1]))
        named = [place for place in range(first, last + 1) if found[place]]
        sides = (sum(sizes[first : named[0]]), sum(sizes[named[-1] + 1 : last + 1])) if named else (0, 0)
        if (rank := (score, len(named), min(sides), sum(sides))) > best and used <= tokens:
            best, span = rank, (first, last + 1)
    return span


def _shorten(sentence: str, tokens: int) -> str:
    passage = sentence[: max(0, 3 * tokens)].strip()
    while passage and count_tokens(passage) > tokens:
        passage = passage[: len(passage) * 3 // 4]
    return passage
