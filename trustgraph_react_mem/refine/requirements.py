"""What a question requires of the form of its answer: length, format, language, words.

A requirement is read only where it is clear.  One that is not recognised is not checked: a wrong requirement would reject good
answers.  The work is bounded: at most ``MOST_QUESTION`` characters of a question and ``MOST_ANSWER`` of an answer are read.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial

from ..indexing.text.number_words import replace_number_words
from ..indexing.tokenizer import guess_language, is_spaceless
from . import requirement_patterns as patterns
from .names import has_no_names
from .requirement_words import Requirement, begins_clause, is_negated, read_date_forms, read_excluded, read_words

MOST_QUESTION, MOST_ANSWER = 4_000, 20_000  # characters
MOST_REQUIREMENTS = 20
SLACK = 0.1  # share by which "in 50 words" may be exceeded
ABOUT = 0.25  # share by which "about 50 words" may differ
FEW = 5  # "in three words" means three, "in 50 words" at most 50
SURE_WORDS = 4  # words of an answer from which its language is judged
SIMILAR = ({"no", "da"}, {"no", "sv"}, {"no", "da", "sv"})  # languages that are confused in short texts

_SENTENCES = re.compile(r"[^.!?;:\n。！？]+[.!?;:\n。！？]*")
_NUMBER = rf"(?P<n>\d{{1,5}}|{'|'.join(patterns.NUMBER_WORDS)})(?:\s?(?:-|–|to|bis|à|a|tot|до|～|~)\s?(?P<m>\d{{1,5}}))?"
_SPACED = "[a-zà-ÿа-яё]"  # a letter of a script with spaces between words
_COUNTS = {
    kind: re.compile(
        rf"(?i)(?:(?<!{_SPACED})(?:{patterns.BEFORE})\s*(?:(?:the|an?|de|een|in|en|em|mit|with|con|com|di) )?)?"
        rf"(?<![\d.,])(?<!{_SPACED}){_NUMBER}(?:\s|-|个|個|つの)*"
        rf"{patterns.ADJECTIVE}(?:{unit})(?![a-zà-ÿа-я])\s*(?:{patterns.AFTER})?"
    )
    for kind, unit in patterns.UNITS.items()
}
_BETWEEN = re.compile(
    r"(?i)\b(?:between|zwischen|entre|tra|fra|tussen|между|mellan|mellem|między)\s(\d{1,5})\s(?:and|und|et|y|e|en|и|och|og|a)\s(\d{1,5})\b"
)
_ENDS = re.compile(
    r"(?i)[\s,.!。！]*(?:please|bitte|s['’]il (?:te|vous) plaît|por favor|per favore|graag|пожалуйста|proszę|tack)?\W*"
)
_EMPTY_TEXT = re.compile(r"\s+")
_FENCE = re.compile(r"^\s*```[\w-]*\s*\n(?P<inner>.*?)\n?\s*```\s*$", re.DOTALL)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_QUOTED_WHOLE = re.compile(r"[\"'“„«‘「].+[\"'”“»’」]\W?", re.DOTALL)
_QUOTE = re.compile(r"[\"“„«「][^\"“”„«»「」\n]{0,200}[\"”“»」]")
_LIST_ITEM = re.compile(r"(?m)^\s*(?:[-*•–‣·]|\d{1,2}[.)])\s+\S")
_TABLE_RULE = re.compile(r"(?m)^\s*\|?\s*:?-{2,}:?\s*\|[-:|\s]*$")
_END = re.compile(r"[.!?…。！？]+[\"'”’»」)\]]*(?=\s|$|[^\x00-\x7f])|\n+")
_ABBREVIATION = re.compile(
    r"(?i)(?:^|[\s(])(?:dr|mr|mrs|ms|prof|st|vs|etc|e\.g|i\.e|z\.\s?b|d\.\s?h|u\.\s?a|bzw|ca|nr|no|art|fig|vol|inc|ltd|jr|sr|sra|srta"
    r"|ud|uds|p\.\s?ej|m|mme|mlle|env|dott|sig|ing|bijv|mevr|dhr|т\.\s?е|т\.\s?д|г|ул|[A-Z]|[a-z]\.[a-z])\.$"
)
_ORDINAL = re.compile(r"(?:^|\s)\d{1,2}\.$")
_ORDINAL_LANGUAGES = frozenset({"de", "da", "no", "fi", "cs", "hu", "pl", "tr"})
_WORD = re.compile(r"[^\W_]+(?:['’.,:/@-][^\W_]+)*")
_TELL = re.compile(r"(?i)\b(?:tell|told|talk\w*|know|learn|think|ask)(?: me| us| you)?\s*$")


def read_requirements(question: str) -> tuple[Requirement, ...]:
    """The requirements of a question, in the order of their kinds, without repetitions.

    >>> [each.text for each in read_requirements("Who is Ann? Answer in two sentences, in German.")]
    ['exactly 2 sentences', 'in German']
    """
    if len(question) > MOST_QUESTION:  # instructions are at the start or at the end
        question = f"{question[: MOST_QUESTION // 2]}\n{question[-MOST_QUESTION // 2 :]}"
    found: dict[str, Requirement] = {}
    for requirement in (
        *_counts(question),
        *_formats(question),
        *read_date_forms(question),
        *_languages(question),
        *read_words(question),
        *read_excluded(question),
    ):
        found.setdefault(requirement.text, requirement)
    return tuple(found.values())[:MOST_REQUIREMENTS]


# -- numbers of sentences, words, ...


def _sentences(text: str) -> Iterator[str]:
    return (found[0].lstrip() for found in _SENTENCES.finditer(text))


def _counts(question: str) -> Iterator[Requirement]:
    plain = replace_number_words(question, guess_language(question), weak=True)
    for place, sentence in enumerate(map(_with_range, _sentences(plain))):
        for kind, pattern in _COUNTS.items():
            for match in pattern.finditer(sentence):
                before = sentence[: match.start()]
                if patterns.ASKS_HOW_MANY.search(before) or is_negated(before) or (match["about"] and _TELL.search(before)):
                    continue
                whole = (
                    place > 0 and not before.strip() and _ENDS.fullmatch(sentence[match.end() :]) is not None
                )  # "Two words."
                bounds = _bounds(match, kind, demanded=whole or patterns.DEMAND.search(before) is not None)
                if bounds is not None:
                    yield _require_count(kind, *bounds)
        for match in patterns.LIST_OF.finditer(sentence):
            if begins_clause(sentence[: match.start()]):
                yield _require_count("items", int(match["n"]), int(match["n"]))
    for match in patterns.ONE_WORD.finditer(question):
        if begins_clause(question[: match.start()]):
            yield _require_count("words", 1, 1)


def _with_range(sentence: str) -> str:
    """The sentence with "between 5 and 10" as "5-10"."""
    return _BETWEEN.sub(r"\1-\2", sentence)


def _bounds(match: re.Match[str], kind: str, *, demanded: bool) -> tuple[int, int | None] | None:
    """The least and the most, or None if the match is not a requirement."""
    number = patterns.NUMBER_WORDS.get(match["n"].casefold()) or int(match["n"]) if match["n"] else 0
    if match["m"]:
        return (number, int(match["m"])) if int(match["m"]) >= number else None
    if match["most"] or match["most_after"]:
        return 0, number
    if match["below"]:
        return 0, max(0, number - 1)
    if match["least"] or match["least_after"]:
        return number, None
    if match["above"]:
        return number + 1, None
    if match["about"]:
        return int(number * (1 - ABOUT)), int(number * (1 + ABOUT) + 1)
    if not number or not (match["exact"] or match["inside"] or match["inside_after"] or demanded):
        return None
    if match["exact"] or kind not in ("words", "characters") or number <= FEW:
        return number, number
    return 0, int(number * (1 + SLACK))


def _require_count(kind: str, least: int, most: int | None) -> Requirement:
    if least == most:
        text = f"exactly {least} {kind}"
    elif most is None:
        text = f"at least {least} {kind}"
    else:
        text = f"at most {most} {kind}" if not least else f"{least} to {most} {kind}"
    return Requirement(
        text.replace(" 1 sentences", " 1 sentence").replace(" 1 words", " 1 word"), partial(_fits, kind, least, most)
    )


def _fits(kind: str, least: int, most: int | None, answer: str) -> bool:
    answer = answer[:MOST_ANSWER]
    if kind == "words" and is_spaceless(answer):
        return True  # nothing separates the words
    number = _MEASURES[kind](answer)
    return least <= number and (most is None or number <= most)


def count_sentences(text: str) -> int:
    """Number of sentences.  Each line counts as one at least; points of abbreviations and ordinals end none.

    >>> count_sentences("Dr. Ann Lee lives at 3.5 km from Oslo. She is 34!")
    2
    """
    ordinals = guess_language(text) in _ORDINAL_LANGUAGES
    number, start = 0, 0
    for end in _END.finditer(text):
        before = text[max(start, end.start() - 12) : end.end()].rstrip("\n")
        follows = text[end.end() : end.end() + 2].strip()
        if follows and end.group() == "." and (_ABBREVIATION.search(before) or (ordinals and _ORDINAL.search(before))):
            continue
        number += any(letter.isalnum() for letter in text[start : end.end()])
        start = end.end()
    return number + any(letter.isalnum() for letter in text[start:])


def count_words(text: str) -> int:
    return sum(1 for _ in _WORD.finditer(text))


_MEASURES: dict[str, Callable[[str], int]] = {
    "sentences": count_sentences,
    "words": count_words,
    "characters": lambda text: len(_EMPTY_TEXT.sub("" if is_spaceless(text) else " ", text.strip())),
    "items": lambda text: len(_LIST_ITEM.findall(text)),
    "paragraphs": lambda text: sum(1 for part in re.split(r"\n\s*\n", text) if part.strip()),
    "lines": lambda text: sum(1 for line in text.splitlines() if line.strip()),
}


# -- formats


def _formats(question: str) -> Iterator[Requirement]:
    for sentence in _sentences(question):
        found = patterns.JSON.search(sentence)
        if found and not patterns.ABOUT_JSON.search(sentence[: found.start()]) and not is_negated(sentence[: found.start()]):
            yield Requirement("as JSON", is_json)
        for text, pattern, is_met in _FORMATS:
            match = pattern.search(sentence)
            if match and not is_negated(sentence[: match.start()]):
                yield Requirement(text, is_met)
        digits = patterns.ONLY_DIGITS.search(sentence)
        if digits and begins_clause(sentence[: digits.start()]):
            yield Requirement("only a number", _is_number)


def is_json(answer: str) -> bool:
    """Whether an answer is a JSON object or list, alone or in one block of code."""
    try:
        return isinstance(json.loads(without_fence(answer)), dict | list)
    except (ValueError, RecursionError):
        return False


def without_fence(answer: str) -> str:
    """The content of a block of code, if the answer is nothing else."""
    fenced = _FENCE.match(answer)
    return fenced["inner"] if fenced else answer


def _is_number(answer: str) -> bool:
    return re.fullmatch(r"\W*\d[\d.,:/' -]*\s?(?:%|[€$£¥])?\W*", answer.strip()) is not None


def _is_upper(answer: str) -> bool:
    return not any(letter.islower() for letter in answer)


def _is_lower(answer: str) -> bool:
    return not any(letter.isupper() for letter in answer)


_FORMATS: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("as a table", patterns.TABLE, lambda answer: _TABLE_RULE.search(answer) is not None),
    ("as a list", patterns.BULLETS, lambda answer: _LIST_ITEM.search(answer) is not None),
    ("begins with yes or no", patterns.YES_NO, lambda answer: patterns.YES_NO_WORDS.match(answer) is not None),
    ("only a number", patterns.ONLY_NUMBER, _is_number),
    ("in capital letters", patterns.UPPER, _is_upper),
    ("in lower case", patterns.LOWER, _is_lower),
    ("in quotation marks", patterns.IN_QUOTES, lambda answer: _QUOTED_WHOLE.fullmatch(answer.strip()) is not None),
    ("separated by commas", patterns.COMMAS, lambda answer: not _LIST_ITEM.search(answer) and "\n" not in answer.strip()),
    ("without names", patterns.NO_NAMES, has_no_names),
)


# -- language


def _languages(question: str) -> Iterator[Requirement]:
    for sentence in _sentences(question):
        for match in patterns.IN_LANGUAGE.finditer(sentence):
            before = sentence[: match.start()]
            if is_negated(before) or patterns.ASKS_TRANSLATION.search(sentence):
                continue
            alone = not before.strip() or before.rstrip()[-1:] in (",", "，", "、", "(", "-", "–")
            of_answer = patterns.THE_ANSWER.search(before) and not sentence.rstrip().endswith(("?", "？"))
            if alone or of_answer or patterns.DEMAND.search(sentence):
                name = (match["name"] or match["native"] or match["adverb"]).casefold()
                code = patterns.LANGUAGE_NAMES[name]
                yield Requirement(f"in {_ENGLISH_NAMES[code]}", partial(_is_in, code))


_ENGLISH_NAMES = {code: name.capitalize() for name, code in reversed(patterns.LANGUAGE_NAMES.items()) if name.isascii()} | {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese", "nl": "Dutch",
    "ru": "Russian", "pl": "Polish", "sv": "Swedish", "da": "Danish", "no": "Norwegian", "fi": "Finnish", "tr": "Turkish",
    "ja": "Japanese", "zh": "Chinese", "ko": "Korean", "ar": "Arabic",
}  # fmt: skip


def _is_in(code: str, answer: str) -> bool:
    """Whether an answer is in a language, as far as it can be judged: short answers and names are in any."""
    text = _QUOTE.sub(" ", _CODE.sub(" ", answer[:MOST_ANSWER]))
    if count_words(text) < SURE_WORDS and not is_spaceless(text):
        return True
    guessed = guess_language(text)
    return not guessed or guessed == code or any({guessed, code} <= group for group in SIMILAR)
