"""Turns a question into a search query, or decides that it needs none.  Source: semantic router memory, section 5, appendix C.

A wrong skip loses an answer, while a wrong search costs milliseconds.  So only what cannot be searched for is skipped: the
greetings that the specification lists, and messages without a letter or a number.

A self-contained question is used unchanged.  A vague one ("how much?", "and what about him?") gets words from the previous
exchanges, or the model rewrites it.  HyDE searches for a hypothetical answer.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..indexing.time_cues import mentions_time
from ..indexing.tokenizer import guess_language, is_spaceless, names, terms
from ..memory.ports import JsonValue, LanguageModel
from ..schema import InvocationSummary

logger = logging.getLogger(__name__)

Mode = Literal["plain", "context", "model", "hyde"]
Decision = Literal["search", "empty", "greeting"]  # to search, or why not
GREETINGS = (
    *("hi", "hello", "hey", "howdy", "thanks", "thank you", "thx", "bye", "goodbye", "see you"),
    *("ok", "okay", "sure", "yes", "no"),
)

BORROWED_WORDS = 12
MOST_VAGUE = 1  # telling words of a question that needs context
QUERY_CHARS_READ = 10_000
EXCHANGES_READ = 3
RESULT_CHARS = 300  # of an answer: its beginning names its subject
REWRITE_PROMPT, HYDE_PROMPT = "memory-rewrite-query", "memory-hyde"

_WORD = re.compile(r"[^\W_][\w'’-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """``question`` is the text to search for: the original question in mode "plain", an expanded or new one otherwise.

    ``own``: the question alone, if it may be complete: then its meaning is searched for, and the words of ``question``.
    """

    question: str
    mode: Mode = "plain"
    own: str = ""

    @property
    def embedded(self) -> str:
        """The text whose meaning is searched for."""
        return self.own or self.question


def gate(question: str) -> Decision:
    """Skip a question only if it is a greeting as a whole, or holds nothing to search for."""
    words = "".join(sign if sign.isalnum() or sign == "'" else " " for sign in question.replace("’", "'").casefold()).split()
    if not words:
        return "empty"
    return "greeting" if " ".join(words) in GREETINGS else "search"


def shorten_query(text: str) -> str:
    """What is searched for of a long question, such as a pasted page: its beginning and its end, where people ask."""
    half = QUERY_CHARS_READ // 2
    return text if len(text) <= QUERY_CHARS_READ else f"{text[:half]}\n{text[-half:]}"


def is_vague(question: str) -> bool:
    """Whether a question names so little that it can only be understood with the exchanges before it.

    Its words without those that every text has, and its names, are counted; nothing is read into them.

    >>> is_vague("And how much?"), is_vague("How much was the flight to Oslo?")
    (True, False)
    """
    return count_telling_words(question) <= MOST_VAGUE and not names(question.strip().partition(" ")[2])


def count_telling_words(question: str) -> int:
    """The words of a question without those that every text has."""
    count = len(terms(question, guess_language(question) or "auto"))
    return (count + 1) // 2 if is_spaceless(question) else count  # terms overlap in these scripts


def add_context(question: str, exchanges: Sequence[InvocationSummary]) -> SearchQuery:
    """Append the content words of the newest exchanges.  The plain question if they have no new words.

    A question that names a time asks the same of another time: it gets neither the times of the exchanges nor their answers.
    A question with a word of its own may be complete ("Where do I live?"): those of the exchanges do not change its meaning.
    """
    language, timed = guess_language(question), mentions_time(question)
    known = set(terms(question, language or "auto"))
    borrowed: list[str] = []
    for exchange in reversed(exchanges[-EXCHANGES_READ:]):
        for text in (exchange.query, "" if timed else exchange.result[:RESULT_CHARS]):
            own_language = guess_language(text) or language or "en"
            if is_spaceless(text):
                fresh = [pair for pair in terms(text, own_language) if pair not in known]
                known.update(fresh)
                borrowed += fresh
                continue
            for word in _WORD.findall(text):
                found = terms(word, own_language)
                if found and not known.issuperset(found) and not (timed and mentions_time(word)):
                    known.update(found)
                    borrowed.append(word)
    if not borrowed:
        return SearchQuery(question=question)
    longer = f"{question} {' '.join(borrowed[:BORROWED_WORDS])}"
    return SearchQuery(question=longer, mode="context", own=question if count_telling_words(question) else "")


async def rewrite(
    question: str, exchanges: Sequence[InvocationSummary], model: LanguageModel, mode: Literal["model", "hyde"]
) -> SearchQuery:
    """Rewrite the question with one model call.  After an empty or overlong answer, words of the exchanges are appended.

    Raises: ModelUnavailable, ModelAnswerError.
    """
    shown: list[JsonValue] = [
        {"query": exchange.query, "result": exchange.result[:RESULT_CHARS]} for exchange in exchanges[-EXCHANGES_READ:]
    ]
    prompt = REWRITE_PROMPT if mode == "model" else HYDE_PROMPT
    completion = await model.prompt(prompt, {"question": question, "exchanges": shown})
    answer = next((line.strip(" \"'") for line in completion.text.splitlines() if line.strip()), "")
    if not answer or len(answer) > 500:
        return add_context(question, exchanges)
    # A hypothetical answer is appended to the question, not used in its place, because it may contain invented details.
    return SearchQuery(question=answer if mode == "model" else f"{question} {answer}", mode=mode)
