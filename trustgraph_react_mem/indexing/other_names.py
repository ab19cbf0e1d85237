"""Other names of people, as a conversation shows them: how others address a person, and who is whose wife, brother or dog.

Only fixed forms are read: a greeting or an interjection with a name ("Thanks, Kate!"), "call me Kate", "my wife Anna", "my wife
is called Anna".  A name must be capitalised and no function word.  Languages: those of ``tokenizer.LANGUAGES`` with capitals.
"""

import re
from functools import lru_cache

from .changes import forms
from .tokenizer import is_function_word, name_spans

LONGEST = 1000  # characters read of a message
_INTRODUCTION = 40  # characters before a name in which the word for the relative stands
_INTRODUCES = re.compile(
    r"[\s,-]*(?:in[ -]law[\s,]*)?(?:(?:is |are |'s )?(?:called|named)|(?:her|his|their|whose) name(?: is|'s)|heißt|namens"
    r"|s'appelle"
    r"|appelée?|se llama|llamad[oa]|si chiama|di nome|se chama|chamad[oa]|heet|genaamd|ma na imię|o imieniu|зовут|по имени"
    r"|,)?\s*",
    re.IGNORECASE,
)
_NAME = r"([^\W\d_](?:\w|['’-](?!s\b))+)"
_GREETINGS = (
    "hey|hi|hiya|hello|dear|thanks|thank you(?: so much)?|thx|good (?:morning|evening|night|afternoon)|morning|goodbye|bye"
    "|congrat(?:s|ulations)|sorry|ok|okay|oh|wow|great|nice|yes|no|yeah|sure|haha|lol|aw+"
    "|hallo|moin|servus|danke|guten (?:morgen|tag|abend)|gute nacht|liebe[r]?|tschüss|ja|nein"
    "|salut|bonjour|bonsoir|merci|coucou|cher|chère|oui|non|hola|gracias|querid[oa]|buen[oa]s (?:días|tardes|noches)|adiós|sí"
    "|ciao|grazie|car[oa]|buongiorno|buonasera|oi|olá|obrigad[oa]|bom dia|boa noite|hoi|dank je|bedankt|goedemorgen|nee"
    "|cześć|hej|dzięki|tak|привет|спасибо|здравствуй|доброе утро|да|нет"
)
_ADDRESSED = re.compile(rf"(?:^|[.!?…\n]\s*)(?:{_GREETINGS})[,!]?\s+{_NAME}(?=\s*(?:[,.!?…:;\n]|$))", re.IGNORECASE)
# Both begin with a set of letters, which the engine of regular expressions looks for fast; most messages have no match.
_OWN = re.compile(
    r"[MmCcPpFfTtEeIiNnJjAaLlOoзЗмМ](?<!\w.)(?:y (?:nick)?name(?: is|['’]s)|(?<=[Cc])all me"
    r"|(?:eople|riends|hey|veryone|verybody) calls? me|(?<=[Ii]) go by|ch heiße|ein (?:Spitzn|N|n|spitzn)ame ist|enn(?:t)? mich"
    r"|e m['’]appelle|on (?:sur)?nom est|ppelle(?:z)?-moi|e llamo|i (?:nombre|apodo) es|lámame|i chiamo|l mio nome è|hiamami"
    r"|e chamo|eu nome é|k heet|ijn naam is|oem me|azywam się|am na imię|ów mi|еня зовут|ови(?:те)? меня)"
    rf"\s+(?i:{_NAME})"
)
_RELATIONS = (
    "wife|husband|partner|girlfriend|boyfriend|fiancée?|mother|mom|mum|father|dad|sister|brother|son|daughter|cousin|aunt"
    "|uncle|grandmother|grandma|grandfather|grandpa|niece|nephew|friend|boss|manager|colleague|coworker|neighbou?r|roommate"
    "|flatmate|teacher|coach|doctor|therapist|dentist|dog|cat|puppy|kitten|horse|bird|rabbit"
    "|frau|mann|partnerin|freundin|freund|mutter|mama|vater|papa|schwester|bruder|sohn|tochter|chefin|chef|kollegin|kollege"
    "|nachbarin|nachbar|hund|katze|femme|mari|mère|père|sœur|soeur|frère|fils|fille|amie|ami|collègue|chien|chat"
    "|esposa|esposo|mujer|marido|novia|novio|madre|padre|hermana|hermano|hijo|hija|amiga|amigo|jefa|jefe|perro|gato"
    "|moglie|marito|fidanzata|fidanzato|sorella|fratello|figlio|figlia|amica|amico|collega|cane|gatto"
    "|mãe|pai|irmã|irmão|filho|filha|cachorro|vrouw|man|moeder|vader|zus|broer|zoon|dochter|vriendin|vriend|baas|hond|kat"
)
_MINE = r"[MmOoUuNn](?<!\w.)(?:y|ur|ein(?:e[rmn]?)?|nser(?:e[rmn]?)?|a|on|otre|i|uestr[oa]|i[oa]|inha|eu|ijn|nze?)"
_YOURS = r"(?i:\b(?:your|dein(?:e[rmn]?)?|euer|eure|ton|ta|votre|tu|vuestr[oa]|tuo|tua|vostr[oa]|teu|jouw?|jullie))"
_WHICH = r"(?:[a-zß-öø-ÿ]+ )?"  # "little", "best", "older"
_RELATIVE = re.compile(rf"{_MINE} {_WHICH}(?i:({_RELATIONS}))\b(?!['’-]?\w)|{_MINE} (?i:({_RELATIONS}))(?=['’]s name is )")
_NAME_AFTER = re.compile(
    r",?(?:(?: is| ist| est| es| è)? (?:called|named)|['’]s name is| heißt| s['’]appelle| se llama| si chiama| se chama| heet)?"
    rf" {_NAME}"
)
_NAME_BEFORE = re.compile(rf"(?<!\w){_NAME}(?:(,)|['’]s| is| was| ist| war| est| es| è| era) $")
_LONGEST_NAME = 50
_END = re.compile(r"\s*(?:[,.;:!?)]|$)")
#: Whose relation a question names: of the asker, of who is asked, or of a person with a name.
ASKED_RELATION = re.compile(
    rf"(?:(?P<mine>{_MINE})|(?P<yours>{_YOURS})|\b(?P<owner>[^\W\d_][\w-]+)['’]s) {_WHICH}(?i:(?P<relation>{_RELATIONS}))\b"
    rf"(?!-?\w)(?!['’](?!s\b))(?!['’]s (?i:{_RELATIONS})\b)"
)


def find_addressed(text: str) -> set[str]:
    """The names, in lower case, by which a message addresses a person.

    >>> find_addressed("Thanks, Kate! I met Bob. Oh wow, Oslo is far.")
    {'kate'}
    """
    return _names(_ADDRESSED, text)


def own_names(text: str) -> set[str]:
    """The names, in lower case, that a person gives as their own.

    >>> own_names("Rosalind Reed, but please call me Roz.")
    {'roz'}
    """
    return _names(_OWN, text)


def relations(text: str) -> dict[str, str]:
    """Name, in lower case -> what the person of this name is to the speaker.

    >>> relations("My wife Anna and our old dog, called Rex, say hello to Tom, my brother.")
    {'anna': 'wife', 'rex': 'dog', 'tom': 'brother'}
    """
    read = text[:LONGEST]
    found = {}
    for match in _RELATIVE.finditer(read):
        after = _NAME_AFTER.match(read, match.end())
        before = _NAME_BEFORE.search(read[max(0, match.start() - _LONGEST_NAME) : match.start()])
        # "Anna, my wife is ill" is said to Anna; "Anna, my wife, is ill" is not.
        if before and before.group(2) and not _END.match(read, match.end()):
            before = None
        name = next((each.group(1) for each in (after, before) if each and _is_name(each.group(1))), "")
        if name:
            found[name.casefold()] = (match.group(1) or match.group(2)).casefold()
    return found


def _names(pattern: re.Pattern[str], text: str) -> set[str]:
    return {word.casefold() for word in pattern.findall(text[:LONGEST]) if _is_name(word)}


def _is_name(word: str) -> bool:
    return word[0].isupper() and not is_function_word(word)


@lru_cache(maxsize=forms.KEPT)
def introduced_names(text: str) -> frozenset[str]:
    """The names of relatives and friends whom a text introduces: "my grandson Theo", "my boss is called Priya"."""
    found = set()
    for name, start, _ in name_spans(text):
        before = text[max(0, start - _INTRODUCTION) : start]
        people = list(forms.PEOPLE.finditer(before))
        if people and _INTRODUCES.fullmatch(before, people[-1].end()):
            found.add(name)
    return frozenset(found)
