"""Whether the sentences of an answer are supported by sources: numbers, dates, names, denials, roles and attributes.

The sources that are trusted decide first.  What they say otherwise is contradicted, whatever a tool, a document or the agent
itself said.  What only those say is supported weakly: a model that disputes it is believed.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

from ..indexing.text.quantities import read_quantities, unsupported_quantities, without_quantities
from ..indexing.text.quantity import Quantity
from ..indexing.text.slots import are_exclusive, exclusive_days, frame_value
from ..indexing.text.statements import PERSON, clauses, frame, inverts_roles, is_question, same_polarity, swaps_sides
from ..indexing.text.subjects import same_subject
from ..indexing.tokenizer import guess_language, terms
from .attribution import Attribution
from .names import names_in, occurs
from .records import Verdict
from .requirement_patterns import YES_NO_WORDS
from .sources import Source, different, missing_quantities, read_computed, read_source

RELATED = 3  # a source is about a sentence if it shares at least a third of the words that the closest source shares
ENOUGH_WORDS = 0.6  # share of a sentence's words that a source must have to say the same, or the opposite
SAME_CLAIM = 0.8  # share of a disputed sentence's words that a sentence has if it makes the same claim
VALUE_WORDS = 4  # words of a value, with its speaker
FEW_WORDS = 3  # words of a sentence that says one thing only
MOST_NUMBERS = 40  # different quantities of a sentence that are checked
MOST_CLAUSES = 60  # of a source
MOST_ALIKE = 5  # sentences of a source whose denials are compared

_MEMORY_END = re.compile(r"\s*\(\d{4}-\d\d-\d\d\)(?:\s*\(said by the \w+\))?\s*$")  # of ``turn.data_line.memory_line``
_HEADING = re.compile(r"^\s*(?:#|\*\*[^*]*\*\*:?\s*$)")
_FIRST_PERSON = re.compile(
    r"(?i)\b(?:i|me|my|mine|we|our|us|ich|mir|mich|mein\w*|wir|unser\w*|je|moi|mon|ma|mes|nous|notre|yo|mi|mis|nosotros|io"
    r"|mio|mia"
    r"|miei|mie|eu|meu|minha|meus|minhas|ik|mij|mijn|я|мне|меня|мой|моя|моё|мои|mój|moja|moje|mnie|jag|min|mitt|mina|jeg)\b"
    r"|\b[jm]['’]|私|僕|俺|わたし|我|내 |제 |나는|저는"
)
_YES = re.compile(r"(?i)^\W*(?:yes|yeah|ja|jawohl|oui|sí|sì|sim|да|tak|jo|evet|kyllä|ano|はい|是的|是，|네)(?![^\W\d_])")


@dataclass(frozen=True, slots=True)
class Judgement:
    """``support``: ids of the memories that say it, or contradict it.

    ``details``: the supported numbers, dates and names that the question does not have.  ``disputed``: a model found it.
    ``weak``: no trusted source says it.
    """

    verdict: Verdict
    support: tuple[str, ...] = ()
    because: str = ""
    details: frozenset[str] = frozenset()
    disputed: bool = False
    weak: bool = False


class Verdicts:
    """Judges the sentences of answers to one question.  ``others``: sources that cannot be cited."""

    def __init__(self, question: str, memories: Sequence[Source], others: Sequence[Source]) -> None:
        self._question = read_source(question)
        self._sources = (*memories, *others)
        self._language = guess_language(question)
        self._attribution = Attribution(next((each for each in self._question.sentences if is_question(each)), question))
        self._computed = read_computed(question)
        self._terms: dict[tuple[str, str], frozenset[str]] = {}  # by text and language
        self._days: dict[tuple[str, str], dict[int, frozenset[str]]] = {}  # the same

    def bears_on(self, answer: str) -> bool:
        """Whether the sources are about the question at all.  Else its answer is general knowledge, which is not judged."""
        if not self._sources:
            return False
        if _FIRST_PERSON.search(self._question.text):
            return True
        asked = self._question.terms | frozenset(terms(answer))
        if any(source.terms & asked for source in self._sources):
            return True
        named = names_in(self._question.text, self._language or "en")  # in another language, too
        return any(occurs(name, source.folded, self._language) for name in named for source in self._sources)

    def is_about(self, answer: str) -> bool:
        """Whether an answer has a word of the question, or of the sources about it, or says yes or no."""
        said, wanted = frozenset(terms(answer)), [each for each in self._question.sentences if is_question(each)]
        asked = frozenset(terms(" ".join(wanted))) if wanted else self._question.terms  # not those of "Answer in English."
        near = [source.terms for source in self._sources if source.terms & asked] or [source.terms for source in self._sources]
        return bool(said & asked.union(*near)) or YES_NO_WORDS.match(answer) is not None

    def answers(self, source: Source) -> bool:
        """Whether a source has more than half of the question's words, and something that the question does not have."""
        asked = self._question.terms
        return bool(asked) and len(asked & source.terms) * 2 > len(asked) and bool(source.terms - asked)

    def judge(self, text: str, *, disputed: Sequence[str] = (), alone: bool = False) -> Judgement | None:
        """The verdict about a sentence.  None: the rules have nothing to check in it.  ``alone``: it is the whole answer."""
        if _HEADING.match(text) or (is_question(text) and not text.rstrip().endswith(".")):  # "Am 15.7.2027."
            return None
        language = guess_language(text) or self._language or "en"
        related = self._find_related(text, language)
        judged = self._judge(text, language, related, self._sources, disputed, alone)
        trusted = [source for source in self._sources if source.trusted]
        if len(trusted) == len(self._sources):
            return judged
        words = [source for source in related if source.trusted]
        said = self._judge(text, language, words, trusted, disputed, alone) if words else None
        if said is not None and said.verdict == "contradicted":
            return replace(said, because="The person's own words say otherwise")
        if judged is None or judged.verdict != "supported":
            return said if said is not None and said.verdict == "supported" else judged
        if said is not None and said.verdict == "supported":
            return judged
        if judged.details and (others := self._find_other_answers(text, words)):
            return Judgement("contradicted", others, "The person's own words say otherwise")
        if self._is_disputed(text, disputed, language, trusted):
            return Judgement("unsupported", (), "The person did not say this", disputed=True)
        return replace(judged, weak=True)

    def _find_other_answers(self, text: str, related: Sequence[Source]) -> tuple[str, ...]:
        """Ids of the memories that answer the question as a sentence does, but with another name or number."""
        said, wanted = self._words(text), self._question.terms
        own, asked = said - wanted, said & wanted
        if not own or not wanted or len(asked or wanted) * 2 < len(wanted):
            return ()
        return _ids(
            source for source in related if any(self._is_other_answer(text, each, own, asked) for each in source.sentences)
        )

    def _is_other_answer(self, text: str, other: str, own: frozenset[str], asked: frozenset[str]) -> bool:
        """``own``, ``asked``: the words of the text that the question does not have, and those that it has."""
        other = _MEMORY_END.sub("", other)
        words, wanted = self._words(other), self._question.terms
        alike = asked <= words if asked else len(wanted & words) >= ENOUGH_WORDS * len(wanted)
        if not alike or own & words or not 0 < len(words - wanted) <= VALUE_WORDS or is_question(other):
            return False
        has_value = bool(names_in(other, guess_language(other) or "en") or read_quantities(other))
        return has_value and same_subject(text, other)

    def _judge(
        self, text: str, language: str, related: list[Source], sources: Sequence[Source], disputed: Sequence[str], alone: bool
    ) -> Judgement | None:
        """``related``: those of ``sources`` that are about the sentence."""
        numbers = unsupported_quantities(different(read_quantities(text))[:MOST_NUMBERS], self._question.quantities)
        names = {name for name in names_in(text, language) if not occurs(name, self._question.folded, language)}
        missing = missing_quantities(numbers, related, computed=self._computed)
        if missing and len(related) < len(sources):  # another may say it in other words, unless a related one says otherwise
            elsewhere = missing_quantities(missing, sources)
            missing = [one for one in missing if one in elsewhere or any(_differs(one, each.quantities) for each in related)]
        strange = sorted(name for name in names if not any(occurs(name, source.folded, language) for source in sources))
        if missing or strange:
            return self._judge_unsupported(text, missing, strange, related)
        if days := self._other_day(text, language, related):
            return Judgement("contradicted", days, "The memories say otherwise")
        if misplaced := self._find_elsewhere(text, related, alone=alone):
            return Judgement("contradicted", misplaced, "The memories say this of something else")
        if opposed := self._find_opposed(text, language, related) or self._affirms_denied(text, related):
            return Judgement("contradicted", opposed, "The memories say otherwise")
        if self._is_disputed(text, disputed, language, sources):
            return Judgement("unsupported", (), "No memory says this", disputed=True)
        details = frozenset({*names, *map(_spell, numbers)})
        if details:
            return Judgement("supported", _ids(each for each in related if _shows(each, numbers, names)), "", details)
        return self._judge_words(text, language, related)

    def _other_day(self, text: str, language: str, related: Sequence[Source]) -> tuple[str, ...]:
        """Ids of the memories that name other weekdays or months than a sentence.  None if one has a date in numbers."""
        known = self._days_of(self._question, language)
        wanted = {group: words - known.get(group, frozenset()) for group, words in exclusive_days(text, language).items()}
        said = [(source, self._days_of(source, language)) for source in related]
        others: list[Source] = []
        for group, words in wanted.items():
            if not words <= frozenset[str]().union(*(each.get(group, frozenset()) for _, each in said)):
                others += [source for source, each in said if group in each]
        if not others:
            return ()
        dated = any(each.days for source in related if source not in others for each in read_quantities(source.text))
        return () if dated else _ids(others)

    def _days_of(self, source: Source, language: str) -> dict[int, frozenset[str]]:
        if (source.text, language) not in self._days:
            self._days[source.text, language] = exclusive_days(source.text, language)
        return self._days[source.text, language]

    def _find_elsewhere(self, text: str, related: Sequence[Source], *, alone: bool) -> tuple[str, ...]:
        """Ids of the memories that say the details of a sentence of something else, and others of what it is about."""
        said = [each for source in related for each in source.sentences]
        if not self._attribution.is_of_another(text, said, alone=alone):
            return ()
        return _ids(each for each in related if self._attribution.is_of_another(text, each.sentences, alone=alone))

    def _find_related(self, text: str, language: str) -> list[Source]:
        """The sources that are about a sentence; all if none shares a word with it or the question."""
        plain = frozenset(terms(without_quantities(text), language)) | self._question.terms
        shared = [(len(source.terms & plain), source) for source in self._sources]
        most = max((number for number, _ in shared), default=0)
        return [source for number, source in shared if number * RELATED >= most]

    def _judge_unsupported(
        self, text: str, missing: Sequence[Quantity], strange: Sequence[str], related: Sequence[Source]
    ) -> Judgement:
        what = ", ".join(dict.fromkeys([*map(_spell, missing), *(name.title() for name in strange)]))
        differing = [
            source
            for source in related
            if any(_differs(one, source.quantities) for one in missing) and self._is_about(text, source)
        ]
        if others := _ids(differing) or self._other_value(text, related):
            return Judgement("contradicted", others, f"The memories say otherwise, and none has {what}")
        return Judgement("unsupported", (), f"No memory has {what}")

    def _is_about(self, text: str, source: Source) -> bool:
        plain = frozenset(terms(without_quantities(text))) or self._question.terms
        return bool(plain) and len(plain & source.terms) >= ENOUGH_WORDS * len(plain)

    def _find_opposed(self, text: str, language: str, related: Sequence[Source]) -> tuple[str, ...]:
        """Ids of the memories that contradict a sentence, if not by a number or a name, and if none agrees with it."""
        if others := self._other_value(text, related):
            return others
        opposed: list[Source] = []
        for source in related:
            told = [*source.sentences, *self._short_clauses(source)]
            alike = [each for each in told if self._says_alike(text, each, language)][:MOST_ALIKE]
            if not alike:
                continue
            turned = all(inverts_roles(text, each, PERSON) or swaps_sides(text, each) for each in alike)
            if same_polarity(text, alike, language, frozenset()) and not turned:
                return ()  # another may tell what was so before
            opposed.append(source)
        return _ids(opposed)

    def _short_clauses(self, source: Source) -> Iterator[str]:
        """The clauses that say one thing only, such as "but no cellar"."""
        for each in islice(clauses(source.text), MOST_CLAUSES):
            if len(self._words(each)) <= FEW_WORDS:
                yield each

    def _affirms_denied(self, text: str, related: Sequence[Source]) -> tuple[str, ...]:
        """Ids of the memories that deny what the question asks, if the sentence says yes to it.

        The question has the words of the person in their own form: "Пью ли я молоко?", "Да, вы пьёте молоко".
        """
        asked = next((each for each in reversed(self._question.sentences) if is_question(each)), "")
        if not asked or not _YES.match(text):
            return ()
        asked, wanted = asked.rstrip(" ?？"), self._words(asked)
        alike = [(source, each) for source in related for each in source.sentences if wanted <= self._words(each)]
        language = guess_language(asked) or "en"
        if not wanted or any(same_polarity(asked, [each], language, frozenset()) for _, each in alike):
            return ()
        return _ids(source for source, _ in alike)

    def _other_value(self, text: str, related: Sequence[Source]) -> tuple[str, ...]:
        """Ids of the memories that give an attribute another value: another place, job, partner or favourite."""
        text = _begun_small(text, "\n".join(source.text for source in related))
        mine, words = frame_value(text), self._words(text)
        own = {word for word in words - self._question.terms if not word.isdigit()}  # numbers are compared by value
        others: list[Source] = []
        for source in related:
            for each in source.sentences:
                if not same_subject(text, each):
                    continue
                if mine is not None:
                    theirs = frame_value(each)
                    if theirs is not None and theirs == mine:
                        return ()
                    if theirs is not None and theirs.slot == mine.slot:
                        others.append(source)
                elif own:
                    said = self._words(each)
                    if own & said:
                        return ()
                    if _is_other_value(text, each, own, words & self._question.terms, said, answers=self._is_asked(said)):
                        others.append(source)
        return _ids(others)

    def _is_asked(self, said: frozenset[str]) -> bool:
        """Whether a sentence of these words is about what the question asks."""
        wanted = self._question.terms
        return bool(wanted) and len(wanted & said) >= ENOUGH_WORDS * len(wanted)

    def _is_disputed(self, text: str, disputed: Sequence[str], language: str, sources: Sequence[Source]) -> bool:
        if not any(self._share(each, [text], language) >= SAME_CLAIM for each in disputed):
            return False
        own = self._words(text, language) - self._question.terms
        said = frozenset[str]().union(*(self._words(source.text, language) for source in sources))
        return bool(own) and len(own & said) < ENOUGH_WORDS * len(own)

    def _judge_words(self, text: str, language: str, related: Sequence[Source]) -> Judgement | None:
        """Support by words, of what the question does not say already."""
        own = self._words(text, language) - self._question.terms
        if not own:
            return None
        found = [
            source
            for source in related
            if len(own & self._words(source.text, language)) >= ENOUGH_WORDS * len(own)
            and self._share(text, [source.text, self._question.text], language) >= ENOUGH_WORDS
        ]
        return Judgement("supported", _ids(found)) if found else None

    def _says_alike(self, text: str, other: str, language: str) -> bool:
        words = [term for term in self._words(text, language) if not term.isdigit()]
        few = len(self._words(other, language)) <= FEW_WORDS
        return len(words) >= (1 if few else 2) and self._share(text, [other], language) >= ENOUGH_WORDS

    def _share(self, claim: str, texts: Iterable[str], language: str) -> float:
        """Share of the claim's words, without numbers, that the texts have.  1 if it has none."""
        wanted = {term for term in self._words(claim, language) if not term.isdigit()}
        said = frozenset[str]().union(*(self._words(text, language) for text in texts))
        return len(wanted & said) / len(wanted) if wanted else 1.0

    def _words(self, text: str, language: str = "auto") -> frozenset[str]:
        if (text, language) not in self._terms:
            self._terms[text, language] = frozenset(terms(text, language))
        return self._terms[text, language]


def _shows(source: Source, numbers: Sequence[Quantity], names: Iterable[str]) -> bool:
    """Whether a source has one of the details."""
    if any(occurs(name, source.folded) for name in names):
        return True
    missing = missing_quantities(numbers, [source])
    return len(missing) < len(numbers)


def _differs(one: Quantity, said: Sequence[Quantity]) -> bool:
    """Whether a quantity of the same kind was said."""
    return any((one.days and other.days) or one.units & other.units or (one.noun and one.noun == other.noun) for other in said)


def _begun_small(text: str, other: str) -> str:
    """The text without the capital of its first word, if the other has that word without one: it is not a name."""
    word = re.match(r"\w+", text)
    plain = word[0].lower() if word else ""
    return plain + text[len(plain) :] if plain and re.search(rf"(?<!\w){plain}(?!\w)", other) else text


def _is_other_value(
    text: str, other: str, own: Iterable[str], common: frozenset[str], said: frozenset[str], *, answers: bool
) -> bool:
    """Whether two sentences give one attribute different values.

    ``common``: the words of the first that the question has, too, ``own``: the others.  ``said``: the words of the other.
    ``answers``: the other answers the question, so an answer of a few words is about the same attribute.
    """
    if not common <= said or not said - common or not (common or answers or len(said) <= FEW_WORDS):
        return False
    return frame(text) == frame(other) == "one value" or are_exclusive(own, said - common)


def _ids(sources: Iterable[Source]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source.id for source in sources if source.id))


def _spell(quantity: Quantity) -> str:
    """A quantity in one spelling: "14 cats" for "fourteen cats"."""
    reading = min(quantity.readings, key=lambda each: (each.kind, str(each.raw or each.value), each.unit, each.day))
    if reading.kind == "date":
        year, month, day = reading.day
        return "-".join(filter(None, (str(year or ""), f"{month:02}" if month else "", f"{day:02}" if day else "")))
    if reading.kind == "clock" and isinstance(reading.value, Fraction):
        return f"{int(reading.value) // 60:02}:{int(reading.value) % 60:02}"
    raw = reading.raw or reading.value
    number = f"{float(raw):g}" if isinstance(raw, Fraction) and raw.denominator > 1 else str(raw)
    return " ".join(filter(None, (number, reading.unit or quantity.noun)))
