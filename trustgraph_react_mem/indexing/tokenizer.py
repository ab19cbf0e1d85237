"""Multilingual tokenizer: language guess, tokens, stop words and stems.

Invariants:
- A word gives the same term in a query and in a record, regardless of case, accents and inflection.
- Text without spaces between words (Chinese, Japanese, Thai) gives overlapping pairs of characters.
- An unknown language gives whole words without stemming.
"""

import math
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

import Stemmer

from .function_words import ALSO_NAMES, FUNCTION_WORDS, GENERAL_WORDS, STOP_PAIRS

# Languages with a stemmer of Snowball, which takes their ISO 639-1 codes.
_STEMMED = frozenset("ar ca cs da de el en es fi fr hi hu id it nl no pl pt ro ru sv tr".split())  # noqa: SIM905
# The additional languages have no stemmer: their terms are whole words, or pairs of characters.
LANGUAGES = _STEMMED | {"he", "ja", "ko", "th", "vi", "zh"}

# One alternative per kind of run.  Scripts without spaces are split by script, so that the Kanji stem of a Japanese word
# gives the same terms with any Kana ending.
_RUNS = re.compile(
    r"(?P<han>[㐀-䶿一-鿿豈-﫿々〇]+)|(?P<katakana>[゠-ヿ]+)|(?P<hiragana>[぀-ゟ]+)|(?P<thai>[฀-๿]+)"
    # A Latin name or a number ends where a script without spaces begins: "Annは", "Siemens工作".
    r"|(?P<word>[^\W_\u3400-\u4dbf\u4e00-\u9fff\u8c48-\ufaff々〇\u30a0-\u30ff\u3040-\u309f\u0e00-\u0e7f]+)"
)
_LONE_PARTICLES = frozenset("은는이가을를의에도로와과")  # of Korean, after a name in Latin script
_SPACELESS = re.compile(r"[㐀-䶿一-鿿豈-﫿々〇゠-ヿ぀-ゟ฀-๿]")
_LETTERS = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_CLITIC = re.compile(r"(?<=\w)['’](?:s|t|d|m|re|ve|ll)\b", re.IGNORECASE)  # English; these letters are also French words
# Elided French and Italian words before an apostrophe.  A capital ("D'Angelo") is part of the name.
_ELISION = re.compile(r"\b(?:[cdjlmnst]|[Qq]u|jusqu|lorsqu|puisqu|un|(?:de|a|ne|su|da|que)ll)['’](?=\w)")
_SCRIPTS = (
    (re.compile(r"[぀-ヿ]"), "ja"),
    (re.compile(r"[가-힯ᄀ-ᇿ]"), "ko"),
    (re.compile(r"[㐀-䶿一-鿿]"), "zh"),
    (re.compile(r"[฀-๿]"), "th"),
    (re.compile(r"[Ѐ-ӿ]"), "ru"),
    (re.compile(r"[؀-ۿ]"), "ar"),
    (re.compile(r"[Ͱ-Ͽ]"), "el"),
    (re.compile(r"[֐-׿]"), "he"),
    (re.compile(r"[ऀ-ॿ]"), "hi"),
)
_ASCII_WORDS = re.compile(r"[a-z0-9]+")
# The languages of each function word: one lookup per word instead of one per language.
_LANGUAGES_OF = {
    word: tuple(code for code, known in FUNCTION_WORDS.items() if word in known)
    for word in frozenset().union(*FUNCTION_WORDS.values())
}
_EVERY_FUNCTION_WORD = frozenset().union(*FUNCTION_WORDS.values()) - ALSO_NAMES
# The guess adds to the model's log-probabilities: a function word is strong evidence in a short text, and English the most
# frequent language, which names of people and places hide.
_FUNCTION_WORD_WEIGHT, _ENGLISH_WEIGHT = 0.7, 0.7
_FAR_AHEAD = 3  # function words more than in any other language decide without the model
_CERTAIN = 0.3  # minimum probability of a guess
_MODEL_LANGUAGES = _STEMMED - {"ar", "el", "hi", "ru"} | {"vi"}  # of those in Latin script
_MAX_GUESSED_CHARS = 300  # enough for a certain guess; keeps the cost and the cache bounded
_TINY = 1e-9
_loading = threading.Lock()


def guess_language(text: str) -> str:
    """ISO 639-1 code, guessed from script, letter sequences and function words; "" if unknown.

    A script counts only if it has at least a fifth of the letters, so that a single foreign name does not decide.

    >>> guess_language("Wo hast du gestern das Buch gekauft?")
    'de'
    """
    if not text.isascii():
        letters = sum(map(str.isalpha, text)) or 1
        for pattern, code in _SCRIPTS:
            if len(pattern.findall(text)) * 5 >= letters:
                return code
    return _guess_latin(text[:_MAX_GUESSED_CHARS])


@lru_cache(maxsize=4096)
def _guess_latin(text: str) -> str:
    """The language of a text in Latin script."""
    words = _LETTERS.findall(_CLITIC.sub("", text))
    if not any(len(word) > 1 for word in words):
        return ""
    counts = Counter(code for word in words for code in _LANGUAGES_OF.get(word.lower(), ()))
    if code := _decide(counts):
        return code
    scores = {code: math.log(probability + _TINY) for code, probability in _model().rank(text)}
    scores["en"] += _ENGLISH_WEIGHT
    for code, count in counts.items():
        if code in scores:
            scores[code] += count * _FUNCTION_WORD_WEIGHT
    best = max(scores, key=lambda code: scores[code])
    total = sum(math.exp(score - scores[best]) for score in scores.values())
    return best if 1 / total >= _CERTAIN else ""


def _decide(counts: Counter[str]) -> str:
    """The language of most function words if it is far ahead.  The model takes ten times as long."""
    (best, most), (_, second) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    return best if most >= _FAR_AHEAD + second and best in _MODEL_LANGUAGES else ""


@cache
def load_in_background() -> None:
    """Load the model of ``guess_language`` in another thread, so that the first question does not wait about a second."""
    threading.Thread(target=_model, name="language-model", daemon=True).start()


def _model() -> Any:
    with _loading:  # once, whichever thread comes first
        return _load_model()


@cache
def _load_model() -> Any:
    """The model of py3langid, without the languages that are not guessed: about 55 MB."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    full = LanguageIdentifier.from_model_file(MODEL_FILE)
    kept = [place for place, code in enumerate(full.nb_classes) if code in _MODEL_LANGUAGES]
    return LanguageIdentifier(
        full.nb_ptc[:, kept],
        full.nb_pc[kept],
        [full.nb_classes[place] for place in kept],
        full.tk_nextmove,
        full.tk_output,
        norm_probs=True,
        tk_row=full.tk_row,
    )


def primary_language(code: str) -> str:
    """The language subtag of a BCP 47 code, which determines stemming; "" for "auto".

    >>> primary_language("de-AT"), primary_language("auto")
    ('de', '')
    """
    return "" if code == "auto" else code.split("-")[0].lower()


def terms(text: str, language: str = "auto") -> list[str]:
    """Search terms in text order, with repetitions: stemmed, without stop words and accents.

    Those of English if ``language`` is "auto" and the language of the text cannot be guessed.

    >>> terms("Josephine's painted horses")
    ['josephin', 'paint', 'hors']
    """
    code = primary_language(language) or guess_language(text) or "en"
    return _terms(text, code, FUNCTION_WORDS.get(code, frozenset()))


def _terms(text: str, code: str, stop: frozenset[str]) -> list[str]:
    stem = _stemmer(code)
    if text.isascii():  # a fast path for most texts, with the same result as the code below
        plain = [word for word in _ASCII_WORDS.findall(text.lower()) if word not in stop and (len(word) > 1 or word.isdigit())]
        return stem.stemWords(plain) if stem else plain
    words: list[str] = []
    for match in _RUNS.finditer(unicodedata.normalize("NFKC", text)):
        if match.lastgroup == "word":
            word = match.group().casefold()
            if word not in stop and (len(word) > 1 or word.isdigit() or not word.isascii()):
                words.append(word)
        else:
            words.extend(_pairs(match.group(), match.lastgroup or ""))
    return [_fold_accents(word) for word in (stem.stemWords(words) if stem else words)]


def query_terms(text: str, language: str = "auto", fallback: str = "en", spoken: Sequence[str] = ()) -> list[str]:
    """Search terms of a question, also in the other languages of the records: those have the stems of their language.

    ``spoken``: the languages of the records, as stored with them.  So a record is found although the language of the record or
    of the question was guessed wrong, or by another version.
    """
    own = primary_language(language) or guess_language(text) or primary_language(fallback)
    stop = FUNCTION_WORDS.get(own, frozenset())
    found = _terms(text, own, stop)
    for code in spoken:
        if (code or "en") == own:
            continue
        known = set(found)
        both = stop | FUNCTION_WORDS.get(code or "en", frozenset())
        found += [term for term in _terms(text, code or "en", both) if term not in known]
    return found


@cache
def general_terms() -> frozenset[str]:
    """The terms of words of any subject ("work", "make"), in all languages that have such a list."""
    return frozenset(term for code, words in GENERAL_WORDS.items() for word in words for term in terms(word, code))


def names(text: str) -> set[str]:
    """Words that look like names (capitalised, not a function word of any known language), in lower case.

    This includes capitalised words at the start of a sentence.

    >>> sorted(names("When did Josephine meet Anna in Berlin?"))
    ['anna', 'berlin', 'josephine']
    """
    return {word for word, _, _ in name_spans(text)}


def name_spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield (name, start, end) for the names in the text, without possessive endings."""
    apart = _SPACELESS.sub(" ", _ELISION.sub(lambda match: " " * len(match.group()), text))
    for match in _NAME.finditer(apart):
        word = _POSSESSIVE.sub("", match.group())
        plain = word.lower()
        if match.group()[0].isupper() and plain not in _EVERY_FUNCTION_WORD and len(plain) > 1:
            yield plain, match.start(), match.start() + len(word)


def is_spaceless(text: str) -> bool:
    """Whether most of the text is in a script without spaces between words."""
    return len(_SPACELESS.findall(text)) * 2 > len(text.replace(" ", ""))


def _pairs(run: str, script: str) -> Iterator[str]:
    if len(run) == 1:
        if script != "hiragana" and run not in _LONE_PARTICLES:  # a lone Kana is a particle
            yield run
        return
    for pair in (run[i : i + 2] for i in range(len(run) - 1)):
        if pair not in STOP_PAIRS:
            yield pair


def _fold_accents(word: str) -> str:
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not "̀" <= c <= "ͯ")


def _stemmer(code: str) -> Stemmer.Stemmer | None:
    return _make_stemmer(code, threading.get_ident()) if code in _STEMMED else None


@lru_cache(maxsize=1024)
def _make_stemmer(code: str, thread: int) -> Stemmer.Stemmer:
    """A Stemmer is not thread-safe and is expensive to create, so each thread has its own."""
    return Stemmer.Stemmer(code)
