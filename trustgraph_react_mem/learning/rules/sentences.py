"""Reads the sentences that a person says themselves out of a message."""

import re
from collections.abc import Iterator
from functools import lru_cache

from ...indexing.text.pasted import without_documents, without_pasted
from .wordings import WORDINGS
from .wordings.east_asian import east_asian_wording, is_east_asian, without_east_asian_opening
from .wordings.openings import EACH, EAST_ASIAN_TASK, OPENING, TASK
from .wordings.permitting import EXCEPTION
from .wordings.wording import Wording

MOST_CHARS = 4000  # of a message that are read
LONG_MESSAGE = 1200  # characters; a longer one is probably pasted, and only its first sentences are read
SENTENCES_OF_LONG = 2
LONGEST_WORD = 20  # characters of a quoted word
MOST_OWN = 3  # words of a quote that is a name or a term of the person
MOST_PHRASE = 60  # characters of a quote that answers may begin or end with
MOST_PHRASES = 20
MOST_OPENINGS = 5  # "great", "thanks", "oh", "and", "by the way"
MASK = "\x00"
#: Stands for a quote of a few words, as in ``begin every answer with "Good day"``.
SHORT_QUOTE = re.compile(f"{MASK}[\ue000-\uf8ff]")
#: "Now" closes a withdrawal ("you can stop that now"), but "for now" marks a single request.
NOW = re.compile(r"(?<!for )(?<!right )\b(?:now|jetzt|nun|nu|ahora|maintenant|adesso|ora|agora|сейчас|теперь|teraz)\b")

_SOMEBODY = re.compile(r"\s+(?:i|we|you|he|she|they|my|our|someone|anyone|somebody|anybody|the|there|it)\b", re.IGNORECASE)
_FENCED = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>.*$", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」|『[^』\n]{1,400}』"
    r"|《[^》\n]{1,400}》"
    r"|(?<!\w)['‘][^'‘’\n]{1,400}['’](?!\w)"
)
# The full stop of a title ends no sentence.
_SENTENCE = re.compile(
    r"[^.!?…\n。！？]+(?:\.(?=\w|(?:(?<=\b[HhMmDd][rs]\.)|(?<=\b[Mm]rs\.)|(?<=\b[Pp]rof\.)) )[^.!?…\n]*)*[.!?…。！？]*"
)


def read_sentences(message: str) -> tuple[list[tuple[str, bool]], dict[str, str]]:
    """Sentences, each with whether an introduction such as "From now on:" precedes it, and what stands for short quotes.

    Single words stand for themselves; a quote of a few words is replaced by a ``SHORT_QUOTE``, a longer one, which are words of
    others, by ``MASK``.  Fenced and pasted text is left out.
    """
    words: dict[str, str] = {}

    def mask_quote(match: re.Match[str]) -> str:
        """One quoted word may be the object of an instruction: "stop calling me 'buddy'"."""
        inner = match.group()[1:-1].strip()
        if not inner or len(inner) > MOST_PHRASE or len(words) == MOST_PHRASES:
            return MASK
        if len(inner.split()) != 1 or len(inner) > LONGEST_WORD:
            inner = f"{MASK}{chr(0xE000 + len(words))}"
        words[inner] = match.group()
        return inner

    text = _QUOTED.sub(
        mask_quote, _FENCED.sub("\n", without_pasted(message[:MOST_CHARS], asides=False)).replace("’", "'").replace("ʼ", "'")
    )
    return list(_sentences(text, long=len(message) > LONG_MESSAGE)), words


def own_words(message: str) -> str:
    """A message without what others say in it: quotes of several words, fenced text, and what follows "the mail says:".

    >>> own_words('The mail says "pay at once to Eve". My boat is called "Sea Gull".')
    'The mail says . My boat is called "Sea Gull".'
    """

    def drop_long(match: re.Match[str]) -> str:
        return match.group() if len(match.group().split()) <= MOST_OWN else ""

    return _QUOTED.sub(drop_long, without_documents(_FENCED.sub("\n", without_pasted(message, asides=False))))


# What a person says before "one rule:".  Other words may say whose rule it is: "in his mail, one rule: ...".
_BEFORE_INTRODUCTION = re.compile(
    r"(?:before (?:we|i) \w+|first(?: of all)?|one more time|for next time|bevor (?:wir|ich) \w+|vorab|zuerst"
    r"|avant (?:de|qu\w*) \w+"
    r"|d'abord|antes de \w+|primero|prima di \w+|prima|voordat (?:we|ik) \w+|eerst|zanim \w+|najpierw|сначала|прежде чем \w+)"
    r"[^,]{0,30},"
)


def _sentences(text: str, *, long: bool) -> Iterator[tuple[str, bool]]:
    """Sentences that a person says themselves, and whether an introduction such as "From now on:" precedes them."""
    read = 0
    for match in _SENTENCE.finditer(text):
        sentence = match.group().strip(" \t*-•\"'")
        if not sentence:
            continue
        read += 1
        if long and read > SENTENCES_OF_LONG:
            return
        before, colon, after = _split_colon(sentence)
        if not colon:
            yield sentence, False
            continue
        intro = without_opening(before).casefold().strip()
        if not intro:
            if after:
                yield after, False
            continue
        if form(r"(?:{})", EXCEPTION).fullmatch(intro):
            yield f"{before.strip()}: {after}", False
            continue
        if _introduces(intro) or (
            _BEFORE_INTRODUCTION.match(intro)
            and _introduces(intro.rpartition(",")[2].strip())  # "before we start, one rule: ..."
        ):
            if after:
                yield after, True
            continue
        if not after.endswith(("?", "？")):  # "Answer in German: what is ...?" is about one question
            yield before, False
        yield MASK, False
        return  # what follows a colon is data: a text to translate, or quoted words


def _introduces(intro: str) -> bool:
    return any(pattern(wording.intro).fullmatch(intro) for wording in WORDINGS)


def _split_colon(sentence: str) -> tuple[str, str, str]:
    match = re.search(r":(?!\d)(?=\s|$)|：", sentence)
    if not match:
        return sentence, "", ""
    return sentence[: match.start()], ":", sentence[match.end() :].strip()


def without_opening(sentence: str) -> str:
    """The sentence without "oh, and by the way" before it; "" if it is nothing else.

    >>> without_opening("Oh, and by the way, call me Tess.")
    'call me Tess.'
    """
    body = without_east_asian_opening(sentence) if is_east_asian(sentence) else sentence.strip()
    for _ in range(MOST_OPENINGS):
        found = form(r"(?i){}[\s,.!;…–—-]*", OPENING).match(body)
        if found is None:
            break
        body = body[found.end() :]
    return body


def is_task(sentence: str) -> bool:
    """Whether a sentence asks for one text, which says nothing about others: "write me a toast, no jokes"."""
    plain = without_opening(sentence).casefold()
    if is_east_asian(plain):
        return re.search(EAST_ASIAN_TASK, plain) is not None
    return form("{}", TASK).match(plain) is not None


def holds_on(sentence: str) -> bool:
    """Whether a sentence says that it holds from now on, or each time."""
    lower = sentence.casefold()
    characters = east_asian_wording(sentence)
    if characters is not None:
        return re.search(characters.standing, sentence) is not None
    return search(EACH, lower) or any(search(wording.phrase, lower) for wording in WORDINGS)


def without_lead(wording: Wording, clause: str) -> tuple[str, bool]:
    """The clause without "please", "hey" and "from now on" before it, and whether "from now on" was there."""
    standing, body = False, clause.strip()
    for _ in range(6):
        if (match := form(r"(?i)(?:{})\b[\s,:]*", wording.phrase).match(body)) and not _begins_condition(wording, body, match):
            standing, body = True, body[match.end() :]
        elif match := form(r"(?i)(?:{})(?![\w'-])[\s,!.]*", wording.lead).match(body):
            body = body[match.end() :]
        else:
            break
    return body, standing


def _begins_condition(wording: Wording, body: str, phrase: re.Match[str]) -> bool:
    """Whether "every time" is followed by when that is: "every time I ask about money"."""
    whenever = form(r"(?i)(?:{})\b", wording.whenever).match(body)
    return whenever is not None and (whenever.end() > phrase.end() or _SOMEBODY.match(body, whenever.end()) is not None)


@lru_cache(maxsize=1024)
def form(template: str, *words: str) -> re.Pattern[str]:
    """The pattern in which alternatives stand for each ``{}`` of a template.  ``re`` itself keeps too few patterns for this."""
    return re.compile(template.format(*words))


@lru_cache(maxsize=512)
def pattern(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{alternatives})(?!\w)")


@lru_cache(maxsize=512)
def compile_words(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)")


def search(alternatives: str, text: str) -> bool:
    return bool(compile_words(alternatives).search(text.strip(" .!…?,")))
