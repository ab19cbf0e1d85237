"""Grounding check: whether a model's statement is supported by the dialogue.

A claim is supported if the dialogue states all its quantities and names, denies nothing that it asserts (and the reverse), has
the same people acting, and contains most of its words.  If fewer words occur (inflection, another script, a paraphrase), at
least some must, and the claim's embedding must be similar to a source.  A date counts as stated if it follows from the date of
the line: "next Friday", said on 2026-05-06, supports 2026-05-08.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ...indexing.changes.forms import PEOPLE
from ...indexing.embedding import embed_rows
from ...indexing.text.ages import find_age, without_age_words
from ...indexing.text.hedges import asserts, asserts_event, asserts_state, ends_state, is_plan, is_wish
from ...indexing.text.likings import liking_of, without_liking
from ...indexing.text.quantities import read_quantities, unsupported_quantities, without_dates, without_quantities
from ...indexing.text.quantity import Quantity
from ...indexing.text.relatives import MOST_RELATIVES, RELATIVE, first_relative, relatives_in
from ...indexing.text.slots import exclusive_phrases, exclusive_words, frame_value, single_letters
from ...indexing.text.speakers import without_speakers
from ...indexing.text.statement_patterns import NEGATION
from ...indexing.text.statements import (
    clauses,
    inverts_roles,
    is_negated,
    is_yes_no_question,
    same_polarity,
    sentences,
    swaps_sides,
)
from ...indexing.text.subjects import is_of_another, is_said_by_another, speaks_of_self
from ...indexing.tokenizer import guess_language, is_function_word, is_spaceless, names, terms
from ...memory.ports import Embedder
from ..dialogue import DialogueLine
from .ended_states import says_still, tells_ended
from .line_dates import follows_from
from .naming import is_named_beside, name_given, speaks_of_names, without_name_of
from .paired_numbers import has_number_of_another
from .totals import is_total, without_payment
from .word_forms import WordForms

ENOUGH_WORDS = 0.6  # share of a claim's words above which embeddings are not compared
ENOUGH_FOR_NAME = 0.5  # if a name stands beside whom the claim says it names
MIN_WORDS = 0.25  # minimum share of a claim's words, even if the embeddings are similar
MIN_SIMILARITY = 0.55  # minimum calibrated similarity if fewer than ENOUGH_WORDS occur
SAME_SENTENCE = 0.5  # minimum share of a claim's words in a sentence that is about the same event
_IS_WHAT = re.compile(r"(?i).*\b(?:is|are|am|was|were|ist|sind|war|est|sont|était|es|son|era|è|sono|é|são)\s(.+)", re.DOTALL)


def word_share(claim: str, sources: Iterable[str], *, also: Iterable[str] = (), language: str = "auto") -> float:
    """Share (0 to 1) of the claim's distinct words that occur in the sources, also with another ending.

    Numbers are not counted, because all of them must occur anyway, nor are negations, which are compared for themselves, and
    words such as "the user".  ``also``: further words that need no support.
    """
    known = {term for text in also for term in terms(text, language)}
    plain = NEGATION.sub(" ", without_speakers(claim))
    wanted = {term for term in terms(plain, language) if not (term.isdigit() or is_function_word(term))} - known
    if not wanted:
        return 1.0
    sources = list(sources)
    said = {term for text in sources for term in terms(text, language)}
    missing = wanted - said
    if missing and (people := [found.group() for found in islice(RELATIVE.finditer(plain), MOST_RELATIVES)]):
        meant = frozenset[str]().union(*map(relatives_in, sources))  # "mother" for "mum"
        missing -= {term for word in people if first_relative(word) & meant for term in terms(word, language)}
    if missing:
        words = WordForms(said, " ".join(sources))
        missing = {term for term in missing if not words.has(term)}
    return 1 - len(missing) / len(wanted)


@dataclass(frozen=True, slots=True)
class GroundingCheck:
    """Compares words first and computes embeddings only if the words do not decide."""

    embedder: Embedder

    async def is_supported(self, claim: str, sources: Sequence[str | DialogueLine], *, speakers: Sequence[str] = ()) -> bool:
        """Whether the sources support the claim.

        ``sources``: lines of the dialogue, or texts without a speaker and a date.  Raises ModelUnavailable: the words do not
        decide and the embedding model is not available.
        """
        lines = [line for line in sources if isinstance(line, DialogueLine)]
        texts = [text for text in map(_evidence, sources) if text]
        if not texts:
            return False
        # One language for both, because short texts are guessed wrong too often and stems must be equal.
        language = guess_language(" ".join([claim, *texts])[:2000]) or "en"
        missing = _missing_numbers(claim, texts, lines)
        totals = [quantity for quantity in missing if is_total(quantity, claim, texts)]
        wanted = without_payment(claim) if totals else claim
        name = name_given(claim)
        is_named = bool(name) and is_named_beside(claim, name, texts)
        if is_named:
            wanted = without_name_of(claim)
        elif name and (first_relative(claim) or PEOPLE.search(claim)) and not speaks_of_names(texts):
            return False
        words = word_share(without_quantities(without_age_words(wanted)), texts, also=speakers, language=language)
        if words < MIN_WORDS or len(missing) > len(totals) or not _has_names(claim, texts, speakers):
            return False
        if has_number_of_another(claim, texts, language) or _is_disliked(claim, texts, speakers, language):
            return False
        ignored = frozenset(term for name in speakers for term in terms(name, language))
        if _is_excluded(claim, texts, speakers, language):
            return False
        if is_negated(claim, language) and all(is_negated(text, language) is False for text in texts):
            return False
        if not same_polarity(without_speakers(claim), texts, language, ignored):
            return False
        if not is_named and _is_inverted(claim, sources, speakers, language):
            return False
        if _is_of_another(claim, sources, speakers, language) or _is_not_so(claim, texts, speakers, language):
            return False
        if words >= (ENOUGH_FOR_NAME if is_named else ENOUGH_WORDS):
            return is_named or _has_predicate(claim, texts, language)
        vectors = await embed_rows(self.embedder, [claim, *texts], role="passage")
        best = self.embedder.profile.calibrate(float(np.max(vectors[1:] @ vectors[0])))
        return best >= MIN_SIMILARITY


def _evidence(source: str | DialogueLine) -> str:
    """The text of a source without questions that only ask whether something is so."""
    if isinstance(source, str):
        return source
    if source.role != "user" or ("?" not in source.text and "？" not in source.text):
        return source.text
    return " ".join(sentence for sentence in sentences(source.text) if not is_yes_no_question(sentence))


def _missing_numbers(claim: str, texts: Sequence[str], lines: Sequence[DialogueLine]) -> list[Quantity]:
    """The quantities of a claim that the texts neither have nor lead to."""
    wanted = read_quantities(claim)
    if not wanted:
        return []
    missing = unsupported_quantities(wanted, [found for text in texts for found in read_quantities(text, source=True)])
    if missing and (age := find_age(claim, guess_language(claim))) is not None:
        ages = [find_age(part, guess_language(text)) for text in texts for part in clauses(text)]
        if any(found is not None and found[1] == age[1] for found in ages):
            missing = [one for one in missing if not any(reading.raw == age[1] for reading in one.readings)]
    return [one for one in missing if not any(follows_from(one, line.text, line.said_at) for line in lines)]


def _has_names(claim: str, texts: Sequence[str], speakers: Sequence[str]) -> bool:
    said = " ".join(texts)
    if is_spaceless(claim) and (place := frame_value(claim)) is not None and place.value not in said.casefold():
        return False  # scripts without capitals do not show a name
    known = names(said) | {term for speaker in speakers for term in names(speaker.title())}
    folded = said.casefold()
    plain = without_quantities(without_dates(claim))  # "Euro" is a unit, which is compared with "€"
    strange = {name for name in names(without_speakers(plain)) - known if name not in folded and _root(name) not in folded}
    strange -= {f"{name}s" for name in known}  # the genitive of German and others
    strange -= {name for name in strange if first_relative(name) & relatives_in(said)}  # German "Mutter" for "Mama"
    # The first word of a sentence is always capitalised, and claims often begin with a label such as "User".
    first = plain.split(maxsplit=1)[0].strip(".,:;'’s").casefold() if plain.split() else ""
    return not strange - {first}


def _has_predicate(claim: str, texts: Sequence[str], language: str) -> bool:
    """Whether the texts have a word of what the claim says that something is: of "teal" in "her favourite colour is teal"."""
    is_what = _IS_WHAT.match(without_age_words(claim))
    wanted = set(terms(without_quantities(NEGATION.sub(" ", is_what[1])), language)) if is_what else set()
    return not wanted or word_share(" ".join(is_what[1].split()) if is_what else "", texts, language=language) > 0


def _is_excluded(claim: str, texts: Sequence[str], also: Sequence[str], language: str) -> bool:
    """Whether a sentence about the same has another word of those that exclude the claim's: "vegetarian" for "vegan"."""
    if single_letters(claim) - single_letters(" ".join(texts)):
        return True
    own = {term for name in also for term in terms(name, language)}  # "Mara" has the stem of "mars"
    plain = " ".join(word for word in without_dates(claim).split() if own.isdisjoint(terms(word, language)))
    wanted, phrases = exclusive_words(plain, language), exclusive_phrases(claim)
    if not wanted and not phrases:
        return False
    parts = (part for text in texts for part in sentences(text))
    alike = [part for part in parts if word_share(claim, [part], also=also, language=language) >= SAME_SENTENCE]
    return _differ(wanted, [exclusive_words(part, language) for part in alike]) or _differ(
        phrases, [exclusive_phrases(part) for part in alike]
    )


def _differ(wanted: dict[int, frozenset[str]], said: Sequence[dict[int, frozenset[str]]]) -> bool:
    """Whether words were said of a group that the claim has, but none of the claim's."""
    found = {group: frozenset[str]().union(*(each.get(group, ()) for each in said)) for group in wanted}
    return any(words and not wanted[group] & words for group, words in found.items())


def _is_inverted(claim: str, sources: Sequence[str | DialogueLine], speakers: Sequence[str], language: str) -> bool:
    """Whether the sentences that are most like the claim have the people in the opposite roles."""
    alone = speakers[0] if len(speakers) == 1 else ""
    best, verdicts = SAME_SENTENCE, list[bool]()
    for source in sources:
        speaker, text = (alone, source) if isinstance(source, str) else (source.speaker, source.text)
        for sentence in sentences(text):
            share = word_share(claim, [sentence], also=speakers, language=language)
            if share > best:
                best, verdicts = share, []
            if share == best:
                verdicts.append(inverts_roles(claim, sentence, speaker) or swaps_sides(claim, sentence))
    return bool(verdicts) and all(verdicts)


def _is_of_another(claim: str, sources: Sequence[str | DialogueLine], speakers: Sequence[str], language: str) -> bool:
    """Whether all sentences that are most like the claim tell it of somebody else than the claim does."""
    told = [(source.speaker if isinstance(source, DialogueLine) else "", _evidence(source)) for source in sources]
    said_by = {
        part: speaker for speaker, text in told for whole in sentences(text) for part in (whole, *clauses(whole, language))
    }
    alike = _most_alike(claim, (part for _, text in told for part in clauses(text, language)), speakers, language)
    if alike and all(is_of_another(claim, part, speakers, language) for part in alike):
        return True
    whole = _most_alike(claim, (part for _, text in told for part in sentences(text)), speakers, language)
    if (
        whole
        and all(is_of_another(claim, part, speakers, language) for part in whole)
        and not any(speaks_of_self(part, language) for part in alike)
    ):
        return True
    return bool(alike) and all(
        said_by[part] and is_said_by_another(claim, part, said_by[part], speakers) for part in alike if part in said_by
    )


def _is_not_so(claim: str, texts: Sequence[str], speakers: Sequence[str], language: str) -> bool:
    """Whether the claim says that something is so, or happened, which the clauses most like it wish for, plan or end."""
    against: list[Callable[[str], bool]] = []
    if asserts(claim, language):
        against.append(lambda part: is_wish(part, language))
        if asserts_event(claim):
            against.append(lambda part: is_plan(part, language))
        if asserts_state(claim, language):
            against.append(ends_state)
        if (asserts_state(claim, language) or says_still(claim)) and tells_ended(claim, texts, speakers, language):
            return True
    if not against:
        return False
    alike = _most_alike(claim, (part for text in texts for part in clauses(text, language)), speakers, language)
    return bool(alike) and all(any(denies(part) for denies in against) for part in alike)


def _is_disliked(claim: str, texts: Sequence[str], speakers: Sequence[str], language: str) -> bool:
    """Whether the claim says that something is liked which the texts dislike, or the reverse."""
    liking = liking_of(claim)
    if not liking:
        return False
    parts = (part for text in texts for part in clauses(text, language))
    alike = _most_alike(without_liking(claim), parts, speakers, language)
    return bool(alike) and all(liking_of(part) not in ("", liking) for part in alike)


def _most_alike(claim: str, parts: Iterable[str], speakers: Sequence[str], language: str) -> list[str]:
    """The parts of a text that have most of the claim's words, if these are enough to be about the same."""
    best, found = SAME_SENTENCE, list[str]()
    for part in parts:
        share = word_share(claim, [part], also=speakers, language=language)
        if share > best:
            best, found = share, []
        if share == best:
            found.append(part)
    return found


def _root(word: str) -> str:
    return word[: max(4, len(word) - 2)]
