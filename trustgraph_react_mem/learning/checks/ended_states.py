"""Whether a claim tells as so what the dialogue says has ended: "plays the piano", after "gave up the piano but play chess"."""

import re
from collections.abc import Sequence

from ...indexing.text.hedges import after_end, ends_state
from ...indexing.text.quantities import without_dates, without_quantities
from ...indexing.text.relatives import first_relative
from ...indexing.text.slots import exclusive_days
from ...indexing.text.speakers import without_speakers
from ...indexing.text.statements import clauses, is_negated
from ...indexing.text.subjects import tells_of_speaker
from ...indexing.tokenizer import guess_language, terms
from .word_forms import WordForms

_STILL = re.compile(
    r"(?i)\b(?:still|continues? to|keeps?|noch|immer|weiterhin|toujours|encore|continue|sigue|todavía|aún|ancora|continua"
    r"|ainda|nog|steeds"
    r"|nadal|wciąż|jeszcze|всё|все|ещё|еще|по-прежнему|продолжает)\b|まだ|今も|还在?|仍然?|아직도?|여전히|계속"
)
# The verb that follows the end of something, if another word is what has ended: "stopped eating meat", "arrêté de manger".
_ACTIVITY = re.compile(
    r"(?i)(?:\w*\W+){0,2}?(\w+ing|[^\W\d_]{2,}(?:er|ir|re|ar|are|ere|ire|ть|ти|ć)|(?<=zu )\w+en|(?<=te )\w+en)\b"
)


def says_still(claim: str) -> bool:
    """Whether a claim says that something is still so."""
    return _STILL.search(claim) is not None


def tells_ended(claim: str, texts: Sequence[str], speakers: Sequence[str], language: str) -> bool:
    """Whether words of a claim about a person occur only in clauses that say that something has ended.

    Another word for an activity that goes on is allowed: "stopped eating meat but still have fish" supports "eats fish".
    """
    if ends_state(claim) or is_negated(claim, language) or not (tells_of_speaker(claim, speakers) or first_relative(claim)):
        return False
    parts = [part for text in texts for part in clauses(text, language)]
    if not any(map(ends_state, parts)):
        return False
    plain = _STILL.sub(" ", without_quantities(without_dates(without_speakers(claim))))
    days = frozenset[str]().union(*exclusive_days(plain, guess_language(plain)).values())
    wanted = {term for term in terms(plain, language) if term not in days}
    lasting, ended, activities = set[str](), set[str](), set[str]()
    for part in parts:
        said = set(terms(part, language))
        forms = WordForms(said, part)
        found = {term for term in wanted if term in said or forms.has(term)}
        if not ends_state(part):
            lasting |= found
            continue
        ended |= found
        if verb := _ACTIVITY.match(after_end(part)):
            activity = set(terms(verb[1], language))
            forms = WordForms(activity, verb[1])
            activities |= {term for term in found if term in activity or forms.has(term)}
    only = ended - lasting
    return bool(only) and not (only <= activities and bool(lasting))
