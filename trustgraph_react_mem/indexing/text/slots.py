"""Where another word makes another fact: the value of an attribute, words and phrases that exclude one another."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import islice

from ..tokenizer import terms

LONGEST_CLAUSE = 200  # characters of a clause before a place that are read
MOST_PLACES = 20  # of a statement
_PLACE = r"(?!(?:The|Der|Die|Das|La|Le|El|Il)\b)([A-ZÀ-ÞА-ЯŁŚŻ][^\W\d_]+(?:[- ][A-ZÀ-Þ][^\W\d_]+)*)"
_LIVES = re.compile(
    r"\b(?:liv(?:es?|ing)|resid(?:es?|ing)|wohnt?|lebt?|leben|wohnen|habite|vit|vis|vive|vivo|reside|mora|moro"
    r"|abit[ao]|woont?|bor|bo|mieszka"
    r"|mieszkam|живёт|живет|живу)\b(?:\s+\w+){0,2}?\s+(?:in|at|à|en|a|ad|em|i|w|we|в|te)\s+" + _PLACE
)
_FORMERLY = re.compile(
    r"(?i)\b(?:used to|once|formerly|previously|no longer|früher|damals|nicht mehr|avant|autrefois|antes|prima|vroeger"
    r"|tidligere|förut|раньше|kiedyś|dawniej)\b"
)
_CLAUSE_END = re.compile(r"[,;.!?]|\b(?:and|but|und|aber|et|mais|y|pero|e|ma|mas|en|maar)\b")
_LIVES_CJK = re.compile(r"住在([^\s，。了]{2,6})|([^\s、。はが]{2,8})に住")
_MOVED = re.compile(r"\b(?:to|nach|naar|para|à|a|ad|til|till|do|в)\s+" + _PLACE)
_MOVES = re.compile(
    r"(?i)\b(?:mov(?:ed|es|ing)|relocated|umgezogen|gezogen|zieht|déménag\w+|mud[óéa]\w*|mudou|mudei|trasferit\w*"
    r"|verhuisd|flytt\w+"
    r"|переехал\w*|przeprowadził\w*)\b"
)
_ARTICLE = r"(?:(?:an?|eine?[rmn]?|une?|una?|uma?|een|en|ett|the|der|die|das|dem|la|le|el|il|o)\s+)?"
_WORKS = re.compile(
    r"(?i)\b(?:works?|working|arbeitet?|travaille|trabaja|trabajo|trabalha|trabalho|lavora|lavoro|werkt?|jobbar"
    r"|arbetar|arbejder|jobber|pracuje)"
    r"\s+(?:now\s+|jetzt\s+)?(?:(as|als|comme|como|come|som|jako)|(at|bei|chez|en|em|bij|på|hos|for|für"
    r"|presso))\s+" + _ARTICLE + r"([^\W\d_]+)"
)
_PARTNER = re.compile(
    r"\b(?:(?:married|engaged) to|dating|verheiratet mit|verlobt mit|marié\w* (?:à|avec)|casad[oa] co[nm]"
    r"|sposat[oa] con|getrouwd met)\s+" + _PLACE
)
# In each group one word excludes the others.  A colon ends the language's code, and a slash separates forms of one word.
_EXCLUSIVE = """
en: monday tuesday wednesday thursday friday saturday sunday weekend
en: weekday weekend
en: january february march april may june july august september october november december
en: morning noon afternoon evening night midnight
en: left right
en: upper lower top bottom front back rear
en: north south east west
en: vegan vegetarian pescatarian omnivore
en: small medium large
en: hot cold warm
en: brother sister mother father son daughter husband wife aunt uncle
en: breakfast lunch dinner supper
en: spring summer autumn winter
en: red green blue yellow black white brown orange purple pink grey gray
en: first second third fourth fifth sixth last
en: daily weekly monthly yearly hourly
en: before after
en: cat dog horse rabbit hamster bird fish
en: car bike bicycle bus train plane
de: montag dienstag mittwoch donnerstag freitag samstag sonntag wochenende
de: januar februar märz april mai juni juli august september oktober november dezember
de: morgens mittags nachmittags abends nachts
de: morgen mittag nachmittag abend nacht
de: linkes rechtes
de: links rechts
de: vegan vegetarisch
de: veganer vegetarier
de: veganerin vegetarierin
de: bruder schwester mutter vater sohn tochter mann frau
de: rot grün blau gelb schwarz weiß braun
de: frühstück mittagessen abendessen
de: katze hund pferd
fr: lundi mardi mercredi jeudi vendredi samedi dimanche
fr: janvier février mars avril mai juin juillet août septembre octobre novembre décembre
fr: matin midi après-midi soir nuit
fr: gauche droit droite
fr: végétalien végétarien végan
fr: végétalienne végétarienne végane
fr: frère sœur mère père fils fille mari femme
fr: rouge vert bleu jaune noir blanc
fr: chat chien cheval
es: lunes martes miércoles jueves viernes sábado domingo
es: enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
es: mañana tarde noche
es: izquierda derecha
es: izquierdo derecho
es: vegano vegetariano
es: vegana vegetariana
es: hermano hermana madre padre hijo hija marido esposa
es: rojo verde azul amarillo negro blanco
es: gato perro caballo
it: lunedì martedì mercoledì giovedì venerdì sabato domenica
it: gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
it: mattina pomeriggio sera notte
it: sinistra destra
it: sinistro destro
it: vegano vegetariano
it: vegana vegetariana
it: gatto cane cavallo
pt: segunda terça quarta quinta sexta sábado domingo
pt: manhã tarde noite
pt: esquerda direita
pt: esquerdo direito
pt: vegano vegetariano
pt: vegana vegetariana
pt: gato cachorro cavalo
nl: maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
nl: ochtend middag avond nacht
nl: linker rechter
nl: links rechts
nl: veganist vegetariër
nl: kat hond paard
sv: måndag tisdag onsdag torsdag fredag lördag söndag
sv: vänster höger
da: mandag tirsdag onsdag torsdag fredag lørdag søndag
pl: poniedziałek/poniedziałku wtorek/wtorku środa/środę/środy czwartek/czwartku piątek/piątku sobota/sobotę niedziela/niedzielę
tr: pazartesi salı çarşamba perşembe cuma cumartesi pazar
pl: rano/ranem południe/południem wieczór/wieczorem noc/nocą
pl: weganin wegetarianin
pl: weganką/weganka wegetarianką/wegetarianka
pl: lewy/lewa/lewo prawy/prawa/prawo
ru: понедельник/понедельника вторник/вторника среда/среду/среды четверг/четверга пятница/пятницу суббота/субботу воскресенье
ru: утро/утром день/днём вечер/вечером ночь/ночью
ru: левый правый
ru: веган вегетарианец
ru: веганка вегетарианка
ja: 月曜 火曜 水曜 木曜 金曜 土曜 日曜
ja: 午前 午後
zh: 星期一/周一/礼拜一 星期二/周二/礼拜二 星期三/周三 星期四/周四 星期五/周五/礼拜五 星期六/周六 星期日/星期天/周日
zh: 上午 中午 下午 晚上
en: positive negative
de: positiv negativ
fr: positif négatif
es: positivo negativo
ko: 월요일 화요일 수요일 목요일 금요일 토요일 일요일
ko: 오전 오후
"""
_A = r"(?:an?|per|each|every|pro|je|im|am|par|al|a la|por|ao|à|all['’]|per|w|na|в|at) ?(?:il |la |l['’]|de )?"
# Phrases that exclude one another, in two groups: how often something is paid or happens, and where a number is the end.
_PHRASES = (
    re.compile(
        rf"(?i)\b{_A}(?:(?P<day>day|tag|jour|día|giorno|dia|dag|dzień|день)|(?P<week>week|woche|semaine|semana|settimana|tydzień|неделю)"
        r"|(?P<month>month|monat|mois|mes|mese|mês|maand|miesiąc|месяц)|(?P<year>year|annum|jahr|an|année|año|anno|ano|jaar|rok|год))\b"
    ),
    re.compile(
        r"(?i)\b(?:(?P<most>at most|up to|no more than|less than|under|below|höchstens|maximal|weniger als|unter|au plus"
        r"|moins de|como máximo|menos de|al massimo|meno di|no máximo|hoogstens|minder dan|najwyżej|не более)"
        r"|(?P<least>at least|no less than|more than|over|above|mindestens|mehr als|über|au moins|plus de|al menos|más de"
        r"|almeno|più di|pelo menos|mais de|minstens|meer dan|co najmniej|не менее))\s(?=[\d$€£¥]|\w+\s)"
    ),
    re.compile(
        r"(?i)\b(?:(?P<seldom>rarely|seldom|hardly ever|almost never|selten|kaum|rarement|rara vez|raramente|zelden|rzadko"
        r"|редко)"
        r"|(?P<often>often|usually|always|frequently|oft|meistens|immer|gewöhnlich|souvent|toujours|d['’]habitude|a menudo"
        r"|siempre"
        r"|normalmente|spesso|sempre|di solito|geralmente|vaak|altijd|często|zawsze|zwykle|часто|всегда|обычно))\b"
        r"|(?P<seldom_cjk>很少|めったに|거의 안)|(?P<often_cjk>经常|总是|いつも|자주|항상)"
    ),
)
_LETTER = re.compile(r"(?<=[\w,:] )[A-HJ-Z](?![\w'’])")  # "I" is a word
_FIRST_DAYS = re.compile(
    r"(?:monday|january|montag|januar|lundi|janvier|lunes|enero|lunedì|gennaio|segunda|maandag|måndag|mandag|poniedziałek"
    r"|понедельник|月曜|星期一|월요일)\b"
)
_CJK = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_WITHOUT_SPACES = ("ja", "zh", "ko")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class SlotValue:
    """``slot``: which attribute, such as "place".  ``value``: lower case."""

    slot: str
    value: str


def frame_value(text: str) -> SlotValue | None:
    """The place someone lives at or moved to, what or where they work, or whom they are married to; None if it is not said."""
    if _MOVES.search(text):
        places = _MOVED.findall(text)
        return SlotValue("place", places[-1].casefold()) if places else None
    if match := _current(list(islice(_LIVES.finditer(text), MOST_PLACES))) or _LIVES_CJK.search(text):
        return SlotValue("place", next(part for part in match.groups() if part).casefold())
    if match := _WORKS.search(text):
        return SlotValue("work as" if match[1] else "work at", match[3].casefold())
    if match := _PARTNER.search(text):
        return SlotValue("partner", match[1].casefold())
    return None


def _current(places: list[re.Match[str]]) -> re.Match[str] | None:
    """The place that holds now, if a statement also has a former one: "I used to live in Graz, now I live in Linz"."""
    now = [
        match
        for match in places
        if not _FORMERLY.search(_CLAUSE_END.split(match.string[max(0, match.start() - LONGEST_CLAUSE) : match.start()])[-1])
    ]
    return (now[-1] if len(places) > 1 else places[0]) if now else next(iter(places), None)


def are_exclusive(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a term of each is of a group whose words exclude one another: days, sides, colours, or single letters."""
    some, others = list(some), list(others)
    # Letters, as in "medication A" and "medication B".
    if any(len(term) == 1 and term.isascii() for term in some) and any(len(term) == 1 and term.isascii() for term in others):
        return True
    groups = _groups()
    return any(
        group == other_group and name != other_name
        for one in some
        for group, name in groups.get(one, ())
        for other in others
        for other_group, other_name in groups.get(other, ())
    )


def exclusive_words(text: str, language: str) -> dict[int, frozenset[str]]:
    """The words of a text that exclude others, by group: weekdays, sides, colours, diets.

    >>> list(exclusive_words("No, I meant Thursday", "en").values())
    [frozenset({'thursday'})]
    """
    groups, found = _groups(), dict[int, set[str]]()
    for word in {*terms(text, language), *_WORD.findall(text.casefold()), *_spaceless().findall(text)}:
        for group, name in groups.get(word, ()):
            found.setdefault(group, set()).add(name)
    return {group: frozenset(words) for group, words in found.items()}


def exclusive_phrases(text: str) -> dict[int, frozenset[str]]:
    """The phrases of a text that exclude others, by group: "a month" and "a year", "at most" and "at least"."""
    found = {number: {match.lastgroup or "" for match in pattern.finditer(text)} for number, pattern in enumerate(_PHRASES)}
    return {number: frozenset(kinds) for number, kinds in found.items() if kinds}


def single_letters(text: str) -> frozenset[str]:
    """The letters that stand alone and name something: the A of "blood type A"."""
    return frozenset(_LETTER.findall(text))


def exclusive_days(text: str, language: str) -> dict[int, frozenset[str]]:
    """The weekdays and months of a text, by group.  Words of other languages do not count: "mai" denies in Italian."""
    return {group: words for group, words in exclusive_words(text, language).items() if (language, group) in _day_groups()}


@cache
def _groups() -> dict[str, frozenset[tuple[int, str]]]:
    """Each word, as written and stemmed: its groups, with the word's first form."""
    found: dict[str, set[tuple[int, str]]] = {}
    for number, line in enumerate(_EXCLUSIVE.strip().splitlines()):
        language, listed = line.split(": ")
        for written in listed.split():
            first, *others = written.split("/")
            for form in (first, *others):
                for word in {form} if language in _WITHOUT_SPACES else {form, *terms(form, language)}:
                    found.setdefault(word, set()).add((number, first))
    return {word: frozenset(groups) for word, groups in found.items()}


@cache
def _day_groups() -> frozenset[tuple[str, int]]:
    """The groups of weekdays and months, with their languages."""
    lines = [line.split(": ") for line in _EXCLUSIVE.strip().splitlines()]
    return frozenset((code, number) for number, (code, words) in enumerate(lines) if _FIRST_DAYS.match(words))


@cache
def _spaceless() -> re.Pattern[str]:
    """The words of languages without spaces, which are found within text."""
    return re.compile("|".join(word for word in _groups() if not word.isascii() and _CJK.match(word)))
