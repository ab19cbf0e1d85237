"""Statements that announce a change of what they name: "I switched dentists", "we sold the Golf", "the rent went up to 870".

They need no common form with the older statement, only its topic: a term of both, near the words that announce.  A change that
is only dated ("now", "these days") also needs values that exclude each other.  In doubt nothing is changed, as in ``decision``.
Sources: common wordings of twelve languages.
"""

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache

from ..text.number_words import replace_number_words
from ..text.quantities import without_quantities
from ..text.quantity_patterns import MONTH
from ..text.slots import exclusive_words
from ..tokenizer import name_spans, terms
from . import forms
from .amounts import GROWN, amounts_differ, are_other_garments, one_number_differs, outgrows
from .cancellations import cancels, cancels_plan
from .habits import denies
from .topics import GENERIC, are_other_things, without_values

# Something else is in its place: the topic is the object.
_SWITCHES = forms.anywhere(
    r"switched|swapped|replaced|changed|(?:traded|exchanged)(?= .{2,40} (?:in|for)\b)|gewechselt|getauscht|ausgetauscht"
    r"|wechselte"
    r"|changé d[e']|remplacé|échangé|cambi(?:é|ado|amos)|sustitu(?:í|imos|ido)|cambiato|sostituito|troquei|trocamos|mudei de"
    r"|mudamos de|substitu(?:í|ímos)|veranderd|gewisseld|overgestapt|ingeruild|vervangen"
    r"|(?:z|wy)mienił[aei]?m?|(?:z|wy)mieni(?:liśmy|łyśmy)|сменил[аи]?|(?:по|за|об)менял[аи]?|заменил[аи]?",
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
    r"\b(?:instead of|rather than|no longer (?:\w+ )?(?:at|in|with|on)|(?:switched|moved|changed|transferred|gone"
    r"|went|ported|migrated|upgraded)(?: \w+){0,2} from|statt|anstatt|au lieu d[eu']|plutôt que|en vez de|en lugar de"
    r"|invece d\w+|em vez d[eoa]|in plaats van|zamiast|вместо)\b(?P<rest>.{0,40})",
    re.IGNORECASE,
)
# It is over: nothing else need be said.
_ENDS = forms.anywhere(
    r"sold|(?:is|are|'s) gone(?! \w)|broke up|broken up|split up|(?:i|we|and \w+) (?:have )?split|separated|divorced"
    r"|gave up|given up|(?:gave|given)(?= .{2,30} (?:up|away)\b)|gave away|got rid of|threw (?:out|away)|dumped|written off"
    r"|wrote off"
    r"|totalled|(?:got|was|were|been) (?:stolen|nicked)|stole (?:my|our)|(?:i'm|i am|we're|been|went|gone) off"
    r"(?! (?:to|on|work|sick|for|school|today|tomorrow|the|with|and|in|at)\b)|is history|are history|done with"
    r"|gave up the ghost"
    r"|(?:closed|cancelled|canceled) (?:my|our|the)(?= (?:\w+ )?(?:account|subscription|membership|contract)\b)"
    r"|passed away|died|verkauft|getrennt|geschieden|aufgegeben|abgeschafft|gekündigt|gestorben|ist tot|kaputtgegangen"
    r"|verschrottet"
    r"|(?:wurde|wurden) (?:\w+ )?(?:gestohlen|geklaut)|geklaut|aufgehört|ist geschichte|(?:ist|is) vorbei"
    r"|vendue?s?|vendu|rompu|séparé[es]*|divorcé[es]*|résilié|décédé[es]*|(?:est|sont) mort\w*|rendu l'âme|volée?s?"
    r"|à la casse|de l'histoire ancienne"
    r"|vend(?:ido|í|imos)|roto|robaron|separado|divorciad[oa]s?|falleció|muri(?:ó|eron)"
    r"|venduto|separat[oi]|divorziat[oi]|(?:è|sono) mort[oaie]|morì|smesso (?:di|con)|rubat[oa]|rottamat[oa]"
    r"|vendi|vendemos|terminamos|separamos|separámos|divorciamos|morreu|parei (?:com|de)|roubaram"
    r"|verkocht|opgezegd|uit elkaar|gescheiden|overleden|gestopt met|gestolen|gejat|verleden tijd"
    r"|sprzeda\w*|rzuci[łl]\w*|rozsta[łl]\w*|rozwi[eó]d\w*|zmarł\w*|zdech\w*|ukradli|skradzion\w*"
    r"|продал\w*|бросил\w*|расстал\w*|развел\w*|умер\w*|скончал\w*|не стало|украли|угнали",
    r"卖了|卖掉|分手|离婚|辞掉|辞了|去世|死了|走了|戒了|偷了|売った|売りました|別れ|離婚|解約|亡くな|死に|死んだ"
    r"|やめ(?:た|ました)|盗まれ"
    r"|팔았|헤어졌|이혼|그만(?:두|뒀)|끊었|도난|죽었|돌아가",
)
# A habit is over: the topic is what is done, not what is stopped somewhere ("j'ai arrêté la voiture").
_STOPS = forms.anywhere(
    r"(?:stopped|quit)(?= \w+ing\b| (?:my|the|all)\b)"
    r"|arrêtée?s?(?! (?:\w+ ){1,3}(?:devant|derrière|dans|près|à|au)\b)"
    r"|(?:he|hemos) dejado|dej(?:é|amos)(?: de)?|largu(?:ei|ou|ámos)"
    r"|deix(?:ei|ou) de"
    r"|przesta[łl]\w*|переста[лю]\w*"
)
# The speaker is no longer there.  People also leave for the day, so the older statement must say that they belong there.
_LEAVES = forms.anywhere(
    r"left|quit|leaving|verlassen|weg von|quittée?|dej(?:é|amos|ado)|me fui de(?:l)?|lasciat[oaie]|deix(?:ei|ámos|amos)"
    r"|sa(?:í|ímos) d[aeo]s?|verlaten|weg bij|odesz\w+ z|odszedłem z|уш(?:[её]л|ла|ли) (?:из|с|от)",
    r"离开|離れ|떠났",
)
_BELONGS = forms.anywhere(
    r"works?|working|job|employ\w*|stud(?:y|ies|ying)|member|play(?:s|ing)? (?:for|in|with)|live|living|dating|married|with"
    r"|go(?:es)? to|customer|client|kunde|kundin|klant|klient\w*|cliente|arbeit\w*|studier\w*|spiel\w*|mitglied"
    r"|travaill\w*|bosse\w*|étudi\w*|trabaj\w*|estudi\w*|lavor\w*|studi\w*"
    r"|trabalh\w*|estud\w*|werk\w*|studeer\w*|prac\w+|uczę|studiuj\w*|работа\w*|учусь|учится|служ\w*|chef|cook|nurse|teacher",
    r"工作|上班|働|勤め|일하|일해|다니|다녀",
)
_FOR_TODAY = re.compile(
    r"\b(?:at|around|by|um|gegen|à|vers|a las?|alle|às|om|o|в) \d|\b(?:early|late|sharp|for (?:lunch|the day)|früh|tôt|tard"
    r"|temprano"
    r"|presto|cedo|vroeg|wcześnie|рано)\b",
    re.IGNORECASE,
)
# A new one of what a person has one of, named at the start: "new boss since Monday: Sophie".
_NEW_AT_START = re.compile(
    r"^\W*(?:new|nouve(?:au|lle|l)|neue[rsn]?|nuev[oa]|nuov[oa]|nov[oa]|nieuwe?|now[yae]|нов\w+|新しい|新的?|새(?:로운)? )"
    r"(?P<what>.{1,30})",
    re.IGNORECASE,
)
# Whom or where the speaker went to is there no more.
_RETIRES = forms.anywhere(
    r"retired|(?:has|have|'s)? ?(?:closed|shut) (?:down|for good)|out of business|went bust|gone bust|in (?:den )?(?:rente"
    r"|ruhestand)"
    r"|in pension(?:e)?|dicht ?gemacht|zugemacht|à la retraite|fermé|se (?:ha )?jubil\w+|cerr(?:ó|ado|aron)|ha chiuso|chiuso"
    r"|aposent(?:ou|ado|ada)(?:-se)?|fechou|fecharam|met pensioen|is (?:ermee )?gestopt|failliet|na emerytur\w+|zamkn(?:ęli"
    r"|ięt\w+)|на пенси\w+"
    r"|закры(?:лся|лась|лось|лись|ли|т\w*)",
    r"引退|閉店|退休|关门|倒闭|은퇴|문을? ?닫",
)
_OF_VALUE = re.compile(
    r"(?:\b(?:at|with|to|by|from|is|are|bei|beim|zu|zum|zur|ist|chez|est|con|da|dal|es|è|é|bij|u|do|jest|у|к)|'s|—)\s"
    r"(?P<value>.{1,40})",
    re.IGNORECASE,
)
# It has another value: an amount, a time, a day or a name must differ.
ALTERS = forms.anywhere(
    r"moved|shifted|postpone[d]?|delayed|rescheduled|pushed(?: back)?|put (?:back|off)|brought forward|raised|lowered|increased"
    r"|reduced|cut|bumped|upped|extended|went up|gone up|went down|gone down|doubled|halved"
    r"|(?:rose|risen|fell|fallen|dropped|climbed|jumped|crept|came|come|back)(?= (?:.{1,30} )?to \W?\d)"
    r"|turn(?:ed|s)(?! (?:the|on|off|out|up|down|it|to|into|back|around|around|my|a)\b)|down to|up to|change of plans?"
    r"|switched to"
    r"|verschoben|verlegt|vorgezogen|verlängert|erhöht|gesenkt|gestiegen|gesunken|geworden"
    r"|(?:hoch|rauf|herauf|herab|runter)(?:gesetzt|gestellt|gedreht|gegangen)|angehoben|reduziert|aufgestockt|geklettert"
    r"|gefallen"
    r"|reporté[es]*|décalé[es]*|déplacé[es]*|prolongé[es]*|avancé[es]*|augmenté[es]*|baissé[es]*|vient d'avoir|a fêté ses"
    r"|pass(?:e|ent|ée?s?) (?:à|au)|(?:re)?monté[es]*|grimpé|descendu[es]*|diminué[es]*|réduite?s?|relevé[es]*"
    r"|aplazad[oa]|aplaz(?:ó|aron)|retras(?:ad[oa]|ó|aron)|pospuest[oa]|pospus\w+|prorrog\w+|adelant(?:ad[oa]|ó|aron)"
    r"|cambi(?:ó|aron)"
    r"|pas(?:ó|aron)"
    r"|subi(?:do|ó|eron)|baja(?:do|ron)|bajó|aument(?:ado|ó|aron)|redu(?:jo|jeron|cido)|increment\w+|cumpl(?:ió|e)|ha cumplido"
    r"|rimandat[oaie]|spostat[oaie]|rinviat[oaie]|prorogat[oaie]|anticipat[oaie]|aumentat[oa]|ridott[oa]|alzat[oa]"
    r"|abbassat[oa]|(?:portat|passat)[oa](?= (?:.{1,40} )?a \d)|salit[oa]|sces[oa]|ha compiuto"
    r"|adiad[oa]|adiaram|antecip(?:aram|ad[oa])|passou|ficou para|mud(?:ou|aram)(?= .{2,40} p(?:a)?ra\b)|aument(?:ou|aram)"
    r"|sub(?:iu|iram)|baix(?:ou|aram)|reduzi\w+|fez(?= \w+ anos)|completou"
    r"|verplaatst|verlengd|uitgesteld|vervroegd|verzet|verhoogd|verlaagd|omhoog|omlaag|gestegen|gedaald|opgehoogd|afgebouwd"
    r"|prze[łl]o[żz]\w+|przenie[śs]\w+|przesun\w+|przedłuż\w+|podni\w+|obniż\w+|zwiększ\w+|zmniejsz\w+|wzr[oó]s\w+|skończył\w*"
    r"|перен[её]с\w*|повыс\w+|подня\w+|пониз\w+|сдвинул\w*|увелич\w+|уменьш\w+|сниз\w+|подорожал\w*|вырос\w*|продлил\w*"
    r"|исполнилось",
    r"推迟|改到|改为|提前|涨|降|满|加到|减到|调到|增加|延期|変更|になりました|になった|上が|下が|上げ|下げ|増や|増え|減ら"
    r"|減り|연기|변경|올랐|올렸|내렸|늘|줄|미뤄|옮겼|됐어",
)
_TO = re.compile(
    r"\b(?:to|until|till|for|auf|bis|au|à|al?|alle|para|pra|até|naar|tot|na|do|на"
    r"|до)\s+(?:\d\S*\s+)?(?P<value>[^\W\d_]+(?:\s+[^\W\d_]+)?)"
    r"|(?:到|成|为|に|へ|로)(?P<spaceless>.{1,6})|(?P<korean>\S+?)(?:으로|로)\b",
    re.IGNORECASE,
)
_SINCE = (
    r"(?:from|starting(?: from| in)?|ab|à partir d[e'u]|dès|a partir d[eo]|desde|da|dal|vanaf|per|od|с|со|начиная с)"
    rf" (?:(?:the|dem|den|el|del|le|de|l'|o|dia|1|1st|1er|1\.) ?)*(?:{MONTH})(?! (?:to|until|till|bis|à|al?|até|tot|do|до"
    rf"|по)\b)"
)
DATED = forms.anywhere(
    rf"{_SINCE}|now|currently|nowadays|these days|from now on|as of|jetzt|nun|inzwischen|mittlerweile|ab sofort|maintenant"
    r"|désormais|ahora"
    r"|adesso|ora|ormai|agora|nu|tegenwoordig|voortaan|teraz|obecnie|теперь|сейчас",
    r"今は|今では|现在|如今|이제|지금",
)
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|(?<=\d)[.](?=\d)|(?<=\bDr)[.]|(?<=\bM[rs])[.]|(?<=\bMrs)[.]|(?<=\bdr)[.])+[?]?")
_CLAUSE = re.compile(r"[;:；：]\s*|,\s*|，|、|\s[–—-]\s")
VERB_LAST = frozenset({"de", "nl", "ja", "ko", "zh"})
_SENTENCES, _MOST_TERMS, _NEAR = 8, 12, 4  # sentences read; terms of one; words from the announcement within which its topic is
_WORD = re.compile(r"[^\W_]+")
_OBJECT = re.compile(r"\s(?:my|our|the|an?|this|that|mon|ma|le|la|les|el|los|las|il|lo|une?|una|uma?)\s", re.IGNORECASE)
_BEFORE_PLACE = re.compile(
    r"\b(?:at|in|on|with|for|by|to|bei|im|auf|mit|chez|dans|sur|avec|en|con|na|no|com|bij|op|met|w|z|в|на|с)\s", re.IGNORECASE
)
_OPENING = re.compile(
    r"\W*(?:finally|eventually|yesterday|recently|lately|today|already|just|so|well|yes|anyway|update|news|turns out"
    r"|endlich|gestern|neulich"
    r"|enfin|hier|finalement|finalmente|por fin|ayer|alla fine|ieri|ontem|eindelijk|gisteren|wreszcie|wczoraj|наконец"
    r"|вчера)\b[\s,:]*",
    re.IGNORECASE,
)
# What belongs to others, or is one of several: "the dog next door died", "I sold my old bike" beside "my new bike".
_OF_OTHERS = forms.anywhere(
    r"next door|across the (?:street|road)|nebenan|gegenüber|d['’]à côté|d['’]en face|de al lado|de enfrente|accanto|di fronte"
    r"|do lado|em frente|hiernaast|van hiernaast|tegenover|obok|naprzeciwko|по соседству|напротив"
)
_FORMER = forms.anywhere(
    r"old|former|previous|alte[nrsm]?|frühere[nrsm]?|vieux|vieil(?:le)?|ancien(?:ne)?|viej[oa]|anterior"
    r"|vecchi[oa]|velh[oa]|antig[oa]"
    r"|oude|vorige|star[yąaeę]|dawn[yąaeę]|стар\w+|прежн\w+"
)
_PRESENT = forms.anywhere(
    r"new|current|neue[nrsm]?|jetzige[nrsm]?|nouve(?:au|lle?)|actuel(?:le)?|nuev[oa]|actual|nuov[oa]|attuale"
    r"|nov[oa]|atual|nieuwe?"
    r"|huidige|now[yąaeę]|obecn[yąaeę]|нов\w+|нынешн\w+"
)
_THEY = re.compile(r"\W*(?:they|ze|oni|они)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """``terms`` without numbers and generic words."""

    text: str
    clauses: tuple[str, ...]
    terms: frozenset[str]


def announces_change(text: str) -> bool:
    """Whether the text may announce a change of something that another text names."""
    patterns = (_SWITCHES, _RENEWED, _ENDS, _STOPS, _LEAVES, _RETIRES, ALTERS, GROWN, DATED, _INSTEAD_OF, _NEW_AT_START)
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
        for former in read_states(old, language)
        for said in announced
        if (topic := said.terms & former.terms)
    )


@lru_cache(maxsize=4096)
def _find_announcements(text: str, language: str) -> tuple[Sentence, ...]:
    """The sentences that announce a change."""
    if text.rstrip().endswith("?"):
        return ()
    sentences = read_sentences(text, language)
    return tuple(
        each
        for each in sentences
        if announces_change(each.text) and not forms.FUTURE.search(each.text) and not forms.adds(each.text)
    )


@lru_cache(maxsize=4096)
def read_states(text: str, language: str) -> tuple[Sentence, ...]:
    """The sentences that say how something is."""
    doubtful = (forms.FUTURE, forms.EVENT, _ENDS, _SWITCHES)
    return tuple(
        each
        for each in read_sentences(text, language)
        if not each.text.rstrip().endswith("?")
        and not any(pattern.search(each.text) for pattern in doubtful)
        and not denies(each.text, language)
        and not cancels(each.text)
    )


def read_sentences(text: str, language: str) -> tuple[Sentence, ...]:
    """The first short sentences of a text: long ones say more than one thing."""
    found = []
    for part in _SENTENCE.findall(replace_number_words(text, language))[:_SENTENCES]:
        named = frozenset(terms(without_values(part), language)) - GENERIC
        if named and len(named) <= _MOST_TERMS:
            clauses = tuple(clause for clause in _CLAUSE.split(part) if clause.strip())
            found.append(Sentence(part, clauses[:_SENTENCES], named))
    return tuple(found)


def _announces(new: Sentence, old: Sentence, topic: Set[str], owned: Set[str], language: str) -> bool:
    planned = forms.AHEAD.search(new.text) is not None  # of what is shifted, the time is the new value
    if not planned and any(topic & set(terms(found["rest"], language)) for found in _INSTEAD_OF.finditer(new.text)):
        return True
    other = are_other_things(new.text, old.text, topic, language)
    for clause in new.clauses:
        if denies(clause, language):
            continue
        named = topic & set(terms(clause, language))
        if named and not planned and is_own(clause, old.text, language):
            if _governs(_SWITCHES, clause, named, language) or _governs(_RENEWED, clause, named & owned, language):
                return True
            if (started := _NEW_AT_START.match(clause)) and named & set(terms(started["what"], language)):
                return True
            if _governs(_ENDS, clause, named, language, before=True):
                return True
            if _governs(_STOPS, clause, named - owned, language):
                return True
            if _leaves(clause, named, language) and _BELONGS.search(old.text):
                return True
            if _governs(_RETIRES, clause, named, language, before=True) and _is_value(old.text, named, language):
                return True
        if (
            named
            and not other
            and ALTERS.search(clause)
            and not are_other_garments(new.text, old.text)
            and (
                amounts_differ(new.text, old.text)
                or one_number_differs(new.text, old.text)
                or _day_differs(clause, old.text, language)
            )
        ):
            return True
    if outgrows(new.text, old.text):
        return True
    dated = DATED.search(new.text) is not None and not planned and not forms.EVENT.search(new.text)
    dated = dated and not other and _is_about(new, old, language)
    differ = amounts_differ(new.text, old.text) or _excludes(new.text, old.text, language)
    values = {word for text in (new.text, old.text) for found in exclusive_words(text, language).values() for word in found}
    dates = [found.group() for found in DATED.finditer(new.text)]
    beside = frozenset(terms(" ".join([*values, *dates]), language))
    if not dated or not differ or topic.isdisjoint(terms(without_quantities(new.text), language)):  # a unit is no subject
        return False
    return len(topic) >= min(2, len(new.terms - beside), len(old.terms - beside))


def _is_about(new: Sentence, old: Sentence, language: str) -> bool:
    """Whether the subject of a sentence is the speaker, or what the other one speaks of."""
    words = _WORD.findall(forms.NUMBER.sub(" ", DATED.sub(" ", new.text)).casefold())
    if not (forms.FIRST_PERSON - {"my"}).isdisjoint(words):
        return True
    first = next((term for word in words for term in terms(word, language) if term not in GENERIC), "")
    return not first.isascii() or first in terms(old.text, language) or forms.NOW.fullmatch(first) is not None


def _governs(pattern: re.Pattern[str], clause: str, topic: Set[str], language: str, *, before: bool = False) -> bool:
    """Whether the topic is among the words after the announcement, or near it where verbs stand last.

    ``before``: it may be the subject, too ("Jonas and I broke up").
    """
    found = pattern.search(clause)
    if found is None or not topic:
        return False
    after = " ".join(_WORD.findall(clause[found.end() :])[:_NEAR])
    before = before and _OBJECT.match(clause, found.end()) is None
    ahead = " ".join(_WORD.findall(clause[: found.start()])[-_NEAR:])
    verb_last = language in VERB_LAST or not after
    return bool(topic & set(terms(after, language))) or ((before or verb_last) and bool(topic & set(terms(ahead, language))))


def _leaves(clause: str, topic: Set[str], language: str) -> bool:
    """Whether the topic is what is left, and not only for the day."""
    found = _LEAVES.search(clause)
    if found is None or _FOR_TODAY.search(clause):
        return False
    after = _BEFORE_PLACE.split(clause[found.end() :].strip(), maxsplit=1)[0]
    ahead = clause[: found.start()] if language in VERB_LAST else ""
    return bool(topic & set(terms(f"{ahead} {' '.join(_WORD.findall(after)[:_NEAR])}", language)))


def _is_value(text: str, topic: Set[str], language: str) -> bool:
    """Whether the topic is at whom or where the speaker is, not the subject: "my doctor is Lehnert", "cut at Tony's"."""
    values = (" ".join(_WORD.findall(found["value"])[:_NEAR]) for found in _OF_VALUE.finditer(text))
    return any(topic & set(terms(value, language)) for value in values)


def _day_differs(clause: str, old: str, language: str) -> bool:
    """Whether something is moved "to Friday", and the older text has another day, month or time of day."""
    held = exclusive_words(old, language)
    return any(
        not words & held[group]
        for found in _TO.finditer(clause)
        for group, words in exclusive_words(next(filter(None, found.groups())), language).items()
        if group in held
    )


def _excludes(new: str, old: str, language: str) -> bool:
    """Whether each has other days, months or sides than the other, of the same kind."""
    said, held = exclusive_words(new, language), exclusive_words(old, language)
    return any(not said[group] & held[group] for group in said.keys() & held.keys())


def is_own(clause: str, old: str, language: str, end: int | None = None) -> bool:
    """Whether the clause is about the speaker: no name that the older statement lacks stands before what is announced.

    ``end``: where that begins, if it is known.
    """
    words = {word.casefold() for word in _WORD.findall(clause)}
    others = forms.THIRD_PERSON & words
    if _THEY.match(clause):  # "they changed the code, its 9028": whoever does such things
        others -= {"they", "its", "ze", "oni", "они"}
    if others or (_OF_OTHERS.search(clause) and not _OF_OTHERS.search(old)):
        return False
    if _FORMER.search(clause) and _PRESENT.search(old):
        return False
    if end is None:
        announcements = (_SWITCHES, _RENEWED, _ENDS, _STOPS, _LEAVES, _RETIRES)
        found = next(filter(None, (pattern.search(clause) for pattern in announcements)), None)
        end = found.start() if found else None
    before = _OPENING.sub("", clause[:end])
    if language == "de":  # where all nouns have a capital, the first word may be the name of who acts
        before = before.split(maxsplit=1)[0] if before.strip() else ""
    return bool(words & forms.FIRST_PERSON) or all(name in old.casefold() for name, _, _ in name_spans(before))
