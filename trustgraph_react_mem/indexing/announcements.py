"""Statements that announce a change of what they name: "I switched dentists", "we sold the Golf", "the rent went up to 870".

They need no common form with the older statement, only its topic: a term of both, near the words that announce.  A change that
is only dated ("now", "these days") also needs values that exclude each other.  In doubt nothing is changed, as in changes.py.
Sources: common wordings of twelve languages.
"""

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache

from . import change_forms as forms
from .cancellations import cancels, cancels_plan
from .text.number_words import replace_number_words
from .tokenizer import name_spans, terms

# Something else is in its place: the topic is the object.
_SWITCHES = forms.anywhere(
    r"switched|swapped|replaced|changed|gewechselt|getauscht|ausgetauscht|wechselte|changé d[e']|remplacé|cambi(?:é"
    r"|ado|amos)"
    r"|cambiato|troquei|trocamos|mudei de|mudamos de|veranderd|gewisseld|overgestapt|zmienił[aei]?m?|zmieniliśmy|сменил[аи]?"
    r"|поменял[аи]?",
    r"换了?|換え|替え|変え|変わ|바꿨|바뀌",
)
# A new one of what a person has one of.
_RENEWED = forms.anywhere(
    r"(?:have|'ve|got|gotten|found|there's|is) (?:a |an |our |my )?(?:(?:brand[- ])?new|different)"
    r"|(?:habe|haben|hab) (?:jetzt |nun )?(?:eine?n? )?(?:neu|ander)e[nsr]?"
    r"|un(?:e)? (?:nouve(?:au|lle|l)|autre)|(?:tengo|tenemos) (?:un |una )?(?:nuev[oa]|\w+ nuev[oa])|(?:ho"
    r"|abbiamo) (?:un |una |un')?nuov[oa]"
    r"|(?:tenho|temos) um(?:a)? nov[oa]|(?:heb|hebben) (?:nu )?een (?:nieuwe?|andere?)|mamy? (?:now|inn)[yąe]"
    r"|у (?:меня|нас) (?:нов|друг)\w+",
    r"新しい|新的|새로운",
)
_INSTEAD_OF = re.compile(
    r"\b(?:instead of|rather than|no longer (?:at|in|with|on)|statt|anstatt|au lieu d[eu']|plutôt que|en vez de|en lugar de"
    r"|invece d\w+|em vez d[eoa]|in plaats van|zamiast|вместо)\b(?P<rest>.{0,40})",
    re.IGNORECASE,
)
# A thing that stands elsewhere now, after one that says where it stood.
_PUT = re.compile(
    r"\b(?:moved|put|hung|hid|transferred) (?:the|my|our) (?P<thing>.{2,40}?)"
    r" (?:in|into|to|under|behind|on|onto|next to|above)\b",
    re.IGNORECASE,
)
_STANDS = re.compile(
    r"\b(?:is|are|lies?|hangs?|stands?|kept|keep .{2,40}?) (?:in|under|behind|on|at|next to|above|by)\b", re.IGNORECASE
)
# It is over: nothing else need be said.
_ENDS = forms.anywhere(
    r"sold|quit|left|(?:is|are|'s) gone(?! \w)|broke up|broken up|split up|separated|divorced"
    r"|gave up|given up|gave away|got rid of"
    r"|passed away|died|verkauft|verlassen|getrennt|geschieden|aufgegeben|abgeschafft|gekündigt|gestorben"
    r"|vendu|quitté|rompu|séparé[es]*|divorcé[es]*|résilié|décédé[es]*|vendido|vendí|vendimos|dejado"
    r"|dejamos|roto"
    r"|separado|divorciad[oa]s?|falleció|venduto|lasciat[oi]|separat[oi]|divorziat[oi]"
    r"|vendi|vendemos|deixei|terminamos|separamos|separámos|divorciamos|morreu|verkocht|opgezegd|verlaten"
    r"|uit elkaar|gescheiden|overleden|sprzedał\w*|rzucił\w*|rozstali\w*|rozwi[eó]d\w*|zmarł\w*"
    r"|продал\w*|бросил\w*|расстал\w*|развел\w*|умер\w*",
    r"卖了|卖掉|分手|离婚|辞掉|去世|売った|売りました|別れ|離婚|解約|亡くな|팔았|헤어졌|이혼|그만뒀",
)
# It has another value: an amount, a time or a name must differ.
_SHIFTS = forms.anywhere(
    r"moved|postpone[d]?|delayed|rescheduled|pushed(?: back)?|brought forward|raised|lowered|increased|reduced|cut"
    r"|went up|gone up"
    r"|went down|gone down|doubled|halved|turned|turns|down to|up to|change of plans?|verschoben|verlegt|erhöht|gesenkt"
    r"|gestiegen|gesunken|reporté[es]*|décalé[es]*|augmenté[es]*|baissé[es]*|aplazad[oa]|retrasad[oa]|pospuest[oa]"
    r"|subi(?:do|ó|eron)"
    r"|baja(?:do|ron)|rimandat[oa]|spostat[oa]|aumentat[oa]|ridott[oa]|adiad[oa]|aument(?:ou|aram)|subiu|verplaatst"
    r"|uitgesteld|verhoogd|verlaagd|przełoż\w+|przesuni\w+|podni\w+|obniż\w+|перенес\w+|повыс\w+|подня\w+|пониз\w+",
    r"推迟|改到|改为|涨|降|延期|変更|上が|下が|연기|변경|올랐",
)
_DATED = forms.anywhere(
    r"now|currently|nowadays|these days|from now on|as of|jetzt|nun|inzwischen|mittlerweile|ab sofort|maintenant"
    r"|désormais|ahora"
    r"|adesso|ora|ormai|agora|nu|tegenwoordig|voortaan|teraz|obecnie|теперь|сейчас",
    r"今は|今では|现在|如今|이제|지금",
)
# Words that many statements share: they are no topic.
_GENERIC = forms.words("""
    day week month year hour minut second time today euro dollar pound cent percent km kilometr mile metr meter kilo kg gram mg
    ml liter litr dr mr mrs ms prof doctor good new old first last next start begin get go have take make live work want like
    love need use know think say tell call name thing bit lot back now just still also alreadi recent morn even night
    tag woch monat jahr stund uhr neu alt jetzt heut mal jour semain mois an ann heur nouveau vieux maintenant dia semana mes
    ano hora nuev viej ahora giorn settiman mes or nuov vecchi adess nov velh agora dag maand jaar uur nieuw oud nu tydzien
    miesiac rok godzin now star teraz ден недел месяц год час нов стар тепер сейчас
    user assistant thank happi great nice realli love feel hope look sound amaz awesom glad sure yeah yes way lot peopl life
""")
_CLOCK = re.compile(r"\b\d{1,2}(?:[:.h]\d{2})?\s?(?:am|pm|uhr|h|o'clock)\b|\b\d{1,2}[:h]\d{2}\b", re.IGNORECASE)
_AMOUNT = re.compile(r"(?P<before>[$€£¥])?\s?(?P<number>\d+(?:[.,:]\d+)*)[\s-]?(?P<unit>[^\W\d_]{1,12}|[$€£¥%])?")
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|(?<=\d)[.](?=\d)|(?<=\bDr)[.]|(?<=\bM[rs])[.]|(?<=\bMrs)[.]|(?<=\bdr)[.])+[?]?")
_CLAUSE = re.compile(r"[;:；：]\s*|,\s*|，|、|\s[–—-]\s")
_VERB_LAST = frozenset({"de", "nl", "ja", "ko", "zh"})
_SENTENCES, _MOST_TERMS, _NEAR = 8, 12, 4  # sentences read; terms of one; words from the announcement within which its topic is
_WORD = re.compile(r"[^\W_]+")
_THEY = re.compile(r"\W*(?:they|ze|oni|они)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """``terms`` without numbers and generic words."""

    text: str
    clauses: tuple[str, ...]
    terms: frozenset[str]


def announces_change(text: str) -> bool:
    """Whether the text may announce a change of something that another text names."""
    patterns = (_SWITCHES, _RENEWED, _ENDS, _SHIFTS, _DATED, _INSTEAD_OF, _PUT)
    return any(pattern.search(text) for pattern in patterns) or cancels(text)


def announces_change_of(new: str, old: str, *, owned: Set[str], language: str) -> bool:
    """Whether ``new``, said later by the same person about the same people, announces a change of what ``old`` says.

    ``owned``: terms of what ``old`` gives a value ("my dentist is ...").
    """
    if cancels(new) and cancels_plan(new, old, language):
        return True
    announced = _find_announcements(new, language)
    return bool(announced) and any(
        _announces(said, former, topic, owned, language)
        for former in _states(old, language)
        for said in announced
        if (topic := said.terms & former.terms)
    )


@lru_cache(maxsize=4096)
def _find_announcements(text: str, language: str) -> tuple[_Sentence, ...]:
    """The sentences that announce a change."""
    if forms.ADDS.search(text) or text.rstrip().endswith("?"):
        return ()
    sentences = _sentences(text, language)
    return tuple(each for each in sentences if announces_change(each.text) and not forms.FUTURE.search(each.text))


@lru_cache(maxsize=4096)
def _states(text: str, language: str) -> tuple[_Sentence, ...]:
    """The sentences that say how something is."""
    doubtful = (forms.FUTURE, forms.EVENT, forms.NEGATED, _ENDS, _SWITCHES)
    return tuple(
        each
        for each in _sentences(text, language)
        if not each.text.rstrip().endswith("?")
        and not any(pattern.search(each.text) for pattern in doubtful)
        and not cancels(each.text)
    )


def _sentences(text: str, language: str) -> tuple[_Sentence, ...]:
    """The first short sentences of a text: long ones say more than one thing."""
    found = []
    for part in _SENTENCE.findall(replace_number_words(text, language))[:_SENTENCES]:
        named = frozenset(terms(forms.NUMBER.sub(" ", part), language)) - _GENERIC
        if named and len(named) <= _MOST_TERMS:
            clauses = tuple(clause for clause in _CLAUSE.split(part) if clause.strip())
            found.append(_Sentence(part, clauses[:_SENTENCES], named))
    return tuple(found)


def _announces(new: _Sentence, old: _Sentence, topic: Set[str], owned: Set[str], language: str) -> bool:
    planned = forms.AHEAD.search(new.text) is not None  # of what is shifted, the time is the new value
    if not planned and any(topic & set(terms(found["rest"], language)) for found in _INSTEAD_OF.finditer(new.text)):
        return True
    if (put := _PUT.search(new.text)) and _STANDS.search(old.text) and topic & set(terms(put["thing"], language)):
        return True
    for clause in new.clauses:
        if forms.NEGATED.search(clause):
            continue
        named = topic & set(terms(clause, language))
        if named and not planned and _is_own(clause, old.text):
            if _governs(_SWITCHES, clause, named, language) or _governs(_RENEWED, clause, named & owned, language):
                return True
            if _governs(_ENDS, clause, named, language, before=True):
                return True
        if (
            named
            and _SHIFTS.search(clause)
            and (_amounts_differ(new.text, old.text) or _one_number_differs(new.text, old.text))
        ):
            return True
    dated = _DATED.search(new.text) is not None and not planned and not forms.EVENT.search(new.text)
    return dated and _amounts_differ(new.text, old.text) and len(topic) >= min(2, len(new.terms), len(old.terms))


def _governs(pattern: re.Pattern[str], clause: str, topic: Set[str], language: str, *, before: bool = False) -> bool:
    """Whether the topic is among the words after the announcement, or near it where verbs stand last.

    ``before``: it may be the subject, too ("Jonas and I broke up").
    """
    found = pattern.search(clause)
    if found is None or not topic:
        return False
    after = " ".join(_WORD.findall(clause[found.end() :])[:_NEAR])
    ahead = " ".join(_WORD.findall(clause[: found.start()])[-_NEAR:])
    verb_last = language in _VERB_LAST or not after
    return bool(topic & set(terms(after, language))) or ((before or verb_last) and bool(topic & set(terms(ahead, language))))


def _is_own(clause: str, old: str) -> bool:
    """Whether the clause is about the speaker: no name that the older statement lacks stands before what is announced."""
    words = {word.casefold() for word in _WORD.findall(clause)}
    others = forms.THIRD_PERSON & words
    if _THEY.match(clause):  # "they changed the code, its 9028": whoever does such things
        others -= {"they", "its", "ze", "oni", "они"}
    if others:
        return False
    found = _SWITCHES.search(clause) or _RENEWED.search(clause) or _ENDS.search(clause)
    before = clause[: found.start()] if found else clause
    return bool(words & forms.FIRST_PERSON) or all(name in old.casefold() for name, _, _ in name_spans(before))


def _amounts_differ(new: str, old: str) -> bool:
    """Whether both texts have amounts of one unit, or times of day, and none of them is the same."""
    if any(map(forms.LABELLED.search, (new, old))):
        return False
    mine, theirs = _amounts(new), _amounts(old)
    return any(not mine[unit] & theirs[unit] for unit in mine.keys() & theirs.keys())


def _one_number_differs(new: str, old: str) -> bool:
    mine, theirs = forms.NUMBER.findall(new), forms.NUMBER.findall(old)
    return len(mine) == len(theirs) == 1 and mine != theirs and not any(map(forms.LABELLED.search, (new, old)))


def _amounts(text: str) -> dict[str, set[str]]:
    """Numbers by unit, "clock" for times of day."""
    found: dict[str, set[str]] = {}
    for match in _CLOCK.finditer(text):
        found.setdefault("clock", set()).add(match.group().casefold())
    for match in _AMOUNT.finditer(_CLOCK.sub(" ", text)):
        unit = (match["before"] or match["unit"] or "").casefold().rstrip("s")
        found.setdefault(unit, set()).add(match["number"])
    return found
