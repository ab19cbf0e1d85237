"""Recognises that a thing stands elsewhere now: "moved the ferns to the hall" after "the ferns are on the landing".

Both statements name the thing.  The older one says where it is or where somebody put it, perhaps with "them" for a thing that
the sentence before names.  The newer one says where somebody has put it since, or where it is now.

Two extracted facts are compared by owner, thing and place instead: see ``compare_places``.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from ..tokenizer import terms
from . import forms

_THE = (
    r"(?:the|my|our|those|all the|die|den|das|der|mein\w{0,2}|unser\w{0,2}|les?|la|l'|mon|ma|mes|nos|los|las|el|mis?|il|lo|gli"
    r"|i|(?:il |la |i |le )?(?:mio|mia|miei|mie)|os?|as?|(?:o |a |os |as )?(?:meus?|minhas?)|de|het|mijn|onze) "
)
_AT = (
    r"(?:in|into|to|over to|under|behind|on|onto|next to|near|above|below|by|at|with|beside|against|along|outside|inside"
    r"|am|im|ins"
    r"|zum|zur|zu|auf|unter|hinter|neben|vor|über|an|ans|bei|beim|nach|dans|sur|sous|près d[eu]|devant|derrière|à|au|aux|chez"
    r"|contre|al?|en|junto a[l]?|bajo|detrás de|cerca de|debajo de|nell?[oa']?|nei|sull?[oa']?|sotto|dietro|vicino a\w*"
    r"|alla|dal"
    r"|dalla|para|pra|n[oa]s?|em|perto d[eoa]|debaixo d[eoa]|ao|naar|onder|achter|bij|op|do|na|pod|za|obok|przy|w|u|в|на|под|за"
    r"|к|у|возле|около)"
)
_PUT = re.compile(
    r"\b(?:moved|put|hung|hid|transferred|shifted|relocated|replanted|transplanted|rehung|stowed|stashed|déplacé|mis|rangé"
    r"|transféré|replanté|transplanté|posé|moví|movido|movimos|cambié|cambiado|puse|puesto|trasladé|trasplanté|spostato|messo"
    r"|trasferito|trapiantato|mudei|mudámos|pus|coloquei|passei|transplantei) "
    rf"{_THE}(?P<thing>[^,;.]{{2,40}}?) {_AT} (?P<place>[^,;.]{{2,60}})"
    r"|\b(?:przeni[oó]s\w+|przestawi\w+|przesadzi\w+|przełoży\w+|перен[её]с\w*|перестави\w+|пересади\w+|переложи\w+) "
    rf"(?P<slavic>[^,;.]{{2,40}}?) {_AT} (?P<slavic_place>[^,;.]{{2,60}})"
    rf"|\b(?:hab|habe|haben|heb|hebben) (?:ich |wir |ik |we |jetzt |nun |nu )*{_THE}(?P<verb_last>[^,;.]{{2,40}}?) {_AT} "
    r"(?P<verb_last_place>[^,;.]{2,60}?) (?:um(?:gesetzt|gestellt|gepflanzt|gehängt|geräumt|gelegt|gezogen)|versetzt|verlegt"
    r"|gestellt|gelegt|gehängt|geräumt|gebracht|verplaatst|verzet|gezet|gelegd|gehangen|overgeplant)\b",
    re.IGNORECASE,
)
_PUT_WITHOUT_SPACES = re.compile(
    r"(?P<thing>[^，。、はを]{1,12})を(?P<place>[^，。、]{1,12}?)[にへ](?:移し|移動|植え替え|置き換え|しまい直)"
    r"|(?:把|将)(?P<chinese>[^，。、]{1,12}?)(?:移|搬|挪|放|换|转移)[到在](?P<chinese_place>[^，。、]{1,12})"
    r"|(?P<korean>\S{1,12}?)[을를] (?P<korean_place>[^，。,.]{1,12}?)(?:으로|로|에) (?:옮겼|옮겨)"
)
_NOW = (
    r"(?:now|nowadays|these days|currently|since|jetzt|nun|inzwischen|mittlerweile|neuerdings|aktuell|seit \w+|maintenant"
    r"|désormais|à présent|ahora|actualmente|adesso|ora|ormai|agora|atualmente|nu|tegenwoordig|inmiddels|voortaan|teraz"
    r"|obecnie|już|od \w+|теперь|сейчас|уже)"
)
_IS = (
    r"(?:is|are|lies?|hangs?|stands?|lives?|sits?|liegt|liegen|steht|stehen|hängt|hängen|ist|sind|est|sont|se trouvent?|está"
    r"|están|sta|stanno|è|sono|si trova|fica|ficam|são|estão|staat|staan|ligt|hangt|hangen|zijn)"
)
_IS_SLAVIC = r"(?:stoi|stoją|leży|leżą|wisi|wiszą|jest|są|стоит|стоят|лежит|лежат|висит|висят|находится|находятся|—)"
_KEPT = r"(?:(?:kept|stored|parked|hidden|planted|rangée?s?|garée?s?|guardad[oa]s?|aparcad[oa]s?|estacionad[oa]s?) )?"
_THING, _PLACE = r"(?P<thing>[^,;.]{2,40}?)", rf"{_AT} (?P<place>[^,;.]{{2,60}})"
_IS_AT = rf"{_THING} (?:{_NOW} )?{_IS} (?:{_NOW} )*{_KEPT}(?:{_NOW} )?{_PLACE}"
_IS_AT_SLAVIC = rf"{_THING} (?:(?:{_NOW} )*{_IS_SLAVIC}(?: {_NOW})*|{_NOW}) {_PLACE}"
_IS_NOW = re.compile(rf"(?:^|\band )\W*{_THE}{_IS_AT}", re.IGNORECASE)
_IS_NOW_SLAVIC = re.compile(rf"^\W*{_IS_AT_SLAVIC}", re.IGNORECASE)
_IS_AT_WITHOUT_SPACES = re.compile(
    r"^(?P<thing>[^，。、はがを]{1,12})[はが](?:今は?|現在は?|最近は?)?(?P<place>[^，。、]{1,12}?)に"
    r"(?:置い|あり|ある|しまっ|保管し|停め|駐め)"
    r"|^(?P<chinese>[^，。、在]{1,12}?)(?:现在|如今|目前|已经)?(?:放|停|存|挂|摆|收|藏)?在"
    r"(?P<chinese_place>[^，。、]{1,12}?(?:里|上|下|旁边?|边|后面?|前面?|家))"
    r"|^(?P<korean>[^，。,.]{1,12}?)(?:은|는|이|가) (?:이제는? |지금은? |요즘은? )?(?P<korean_place>[^，。,.]{1,12}?)에 "
    r"(?:있|두|둔|뒀|놓|세워|보관)"
)
# Two facts: "Eva's bike is in the shed", "Eva keeps her bike in the cellar".
_IS_AT_ANY = (
    re.compile(rf"^\W*{_IS_AT}", re.IGNORECASE),
    re.compile(rf"^\W*{_IS_AT_SLAVIC}", re.IGNORECASE),
    re.compile(
        r"^\W*(?P<owner>[^,;.]{1,30}?) (?:keeps?|stores?|parks?|hides?|puts?|moved|has moved|have moved|lagert|lagere|parkt"
        r"|parke|garde|range|gare|guarda|guardo|tiene|tengo|conserva|conservo|deixa|deixo|bewaart|bewaar|parkeert|parkeer"
        r"|trzyma|trzymam|хранит|храню|держит|держу) "
        rf"(?:{_NOW} )?{_THING}(?: from [^,;.]{{2,40}}?)? (?:{_NOW} )*{_PLACE}",
        re.IGNORECASE,
    ),
    _IS_AT_WITHOUT_SPACES,
)
# In what state a thing is: "in good order", "in Reparatur".
_CONDITION = re.compile(
    r"\b(?:states?|condition|shape|order|repairs?|use|mess|way|sale|offer|loan|risk|danger|trouble|fire|zustand|ordnung|reparatur"
    r"|gebrauch|état|ordre|réparation|panne|estado|orden|venta|uso|stato|condizioni|ordine|riparazione|vendita|ordem|reparação"
    r"|goede staat|orde|reparatie|stani\w|porządku|naprawie|порядке|состоянии|ремонте)\b|状態|修理",
    re.IGNORECASE,
)
_IS_NOW_ANY = (_IS_NOW, _IS_NOW_SLAVIC, _IS_AT_WITHOUT_SPACES)
_STANDS = re.compile(
    r"\b(?:is|are|lies?|hangs?|stands?|sits?|kept|keep|stored?|planted|put|set|placed|left|parked|hung|hid|stashed|liegt|liegen"
    r"|steht|stehen|hängt|hängen|ist|sind|gepflanzt|gestellt|gelegt|gehängt|est|sont|planté|rangé|mis|está|están|planté"
    r"|plantado"
    r"|puse|guardo|guardamos|sta|stanno|sono|è|piantato|messo|tengo|fica|ficam|plantei|pus|estão|staat|staan|ligt|liggen|geplant|gezet"
    r"|stoi|stoją|leży|leżą|posadzi\w+|trzyma\w+|стоит|стоят|лежит|лежат|посади\w+|хран\w+)\b"
    rf"(?:.{{0,60}}?\b{_AT}\b|$)|\b{_AT}\b.{{0,40}} (?:gepflanzt|gestellt|gelegt|gehängt|geplant|gezet)\b"
    r"|に(?:置い|ある|あり|植え|しまっ|保管)|(?:放|种|種|摆|挂|存|就)在|在.{1,10}(?:里|上|下|旁|边|后|前)|에 (?:있|두|둔"
    r"|뒀|심)",
    re.IGNORECASE,
)
_THEM = re.compile(r"\b(?:it|them|sie|ihn|es|les|los|las|lo|la|li|le|os|as|ze|het|je|go|их|его|её)\b", re.IGNORECASE)
_PLACE_WORDS = 4
_SPEAKER = frozenset({"user"})
_WORD = re.compile(r"[^\W_]+")
_SPACES = re.compile(r"\s+")


def announces_move(text: str) -> bool:
    """Whether a text may say that a thing stands elsewhere now."""
    return bool(_moves(text))


def is_thing_moved(new: str, old: str, language: str) -> bool:
    if not _moves(new) or forms.adds(new) or forms.FUTURE.search(new):
        return False
    for thing, place in _moves(new):
        named, where = _terms(thing, language), _terms(" ".join(place.split()[:_PLACE_WORDS]), language)
        if not named or not where or (forms.PEOPLE.search(thing) and forms.PEOPLE.search(old) is None):
            continue
        for said in _find_placed(old, named, language):
            held = _terms(said, language)
            people = {found.casefold() for found in forms.PEOPLE.findall(said)}
            if not where <= held and people <= {found.casefold() for found in forms.PEOPLE.findall(new)}:
                return True
    return False


def compare_places(new: str, old: str, language: str) -> Literal["moved", "unrelated", ""]:
    """Whether two facts give the same thing of the same owner two places, or speak of two things; "" if they do neither.

    >>> compare_places("Eva's bike is now in the cellar of Ana's house", "Eva keeps her bike in the shed", "en")
    'moved'
    >>> compare_places("Eva's bike pump is now in the cellar", "Eva's bike is in the shed", "en")
    'unrelated'
    """
    said, held = _read_place(new, language), _read_place(old, language)
    if said is None or held is None:
        return ""
    if said[0] != held[0] or not (said[1] and held[1]):
        return "unrelated"
    return "" if said[1] <= held[1] or held[1] <= said[1] else "moved"


@lru_cache(maxsize=forms.KEPT)
def _read_place(fact: str, language: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Terms of a thing and whose it is, and of the place where a fact says that it is; no terms if it says in what state."""
    if any(pattern.search(fact) for pattern in (forms.NEGATED, forms.FUTURE, forms.PAST)) or forms.adds(fact):
        return None
    if (found := next(filter(None, (pattern.search(fact) for pattern in _IS_AT_ANY)), None)) is None:
        return None
    *whose, place = filter(None, found.groups())
    thing = forms.SUBJECT_NOISE_WITHOUT_SPACES.sub("", " ".join(whose))
    named = _terms(thing, language) - _SPEAKER
    if not named:
        return None
    if len(whose) == 1:  # "her bike", without a name, is not "my bike"
        named |= forms.THIRD_PERSON.intersection(_WORD.findall(thing.casefold()))
    return named, frozenset() if _CONDITION.search(place) else _terms(place, language)


@lru_cache(maxsize=forms.KEPT)
def _moves(text: str) -> tuple[tuple[str, str], ...]:
    """What stands elsewhere, and where."""
    moves = []
    for clause in forms.clauses(_SPACES.sub(" ", text)):
        if forms.NEGATED.search(clause):
            continue
        patterns = (_PUT, _PUT_WITHOUT_SPACES, *(_IS_NOW_ANY if forms.NOW.search(clause) else ()))
        if (found := next(filter(None, (pattern.search(clause) for pattern in patterns)), None)) is not None:
            thing, place = filter(None, found.groups())
            moves.append((thing, place))
    return tuple(moves)


def _find_placed(old: str, named: frozenset[str], language: str) -> Iterator[str]:
    """The sentences that say where a thing is, and name it or follow one that does."""
    sentences = [each for each in forms.sentences(old) if not (forms.FUTURE.search(each) or forms.NEGATED.search(each))]
    for before, said in pairwise(["", *sentences]):
        if _STANDS.search(said) and (
            named <= _terms(said, language) or (_THEM.search(said) and named <= _terms(before, language))
        ):
            yield said


@lru_cache(maxsize=forms.KEPT)
def _terms(text: str, language: str) -> frozenset[str]:
    return frozenset(term for term in terms(text, language) if not forms.NOW.fullmatch(term))
