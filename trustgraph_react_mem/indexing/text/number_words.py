"""Number words of fourteen languages: replaces them by digits, so that "two hundred and fifty" is the same number as "250"."""

import re
import unicodedata
from collections.abc import Callable
from functools import cache

from . import further_numbers

_SMALL = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen",
    "de": "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn"
    " achtzehn neunzehn",
    "fr": "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
    " dixsept dixhuit dixneuf",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete"
    " dieciocho diecinueve",
    "it": "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici"
    " diciassette diciotto diciannove",
    "pt": "zero um dois tres quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito"
    " dezenove",
    "nl": "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien"
    " achttien negentien",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante septante quatrevingt nonante",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
}
_MORE = {
    "en": "couple:2 pair:2 twice:2 thrice:3",
    "de": "zwo:2 beide:2 beiden:2 dutzend:12 zweimal:2 dreimal:3 viermal:4 anderthalb:1.5 eineinhalb:1.5 zweieinhalb:2.5"
    " dreieinhalb:3.5 viereinhalb:4.5 funfeinhalb:5.5",
    "fr": "vingts:20 quatrevingts:80 soixantedix:70 quatrevingtdix:90 huitante:80 douzaine:12",
    "es": "veintiun:21 veintiuno:21 veintiuna:21 veintidos:22 veintitres:23 veinticuatro:24 veinticinco:25 veintiseis:26"
    " veintisiete:27 veintiocho:28 veintinueve:29 doscientos:200 doscientas:200 trescientos:300 trescientas:300"
    " cuatrocientos:400 cuatrocientas:400 quinientos:500 quinientas:500 seiscientos:600 seiscientas:600 setecientos:700"
    " setecientas:700 ochocientos:800 ochocientas:800 novecientos:900 novecientas:900 docena:12",
    "it": "dozzina:12",
    "pt": "duas:2 quatorze:14 dezasseis:16 dezassete:17 dezanove:19 duzentos:200 duzentas:200 trezentos:300 trezentas:300"
    " quatrocentos:400 quatrocentas:400 quinhentos:500 quinhentas:500 seiscentos:600 seiscentas:600 setecentos:700"
    " setecentas:700 oitocentos:800 oitocentas:800 novecentos:900 novecentas:900 duzia:12",
    "nl": "dozijn:12 tweemaal:2 driemaal:3 anderhalf:1.5 anderhalve:1.5 beide:2",
}
_HUNDRED = {"en": "hundred", "de": "hundert", "fr": "cent cents", "es": "cien ciento", "it": "cento", "pt": "cem cento"}
_HUNDRED |= {"nl": "honderd"}
_LARGE = {
    "en": "dozen:12 thousand:1000 million:1000000 billion:1000000000",
    "de": "tausend:1000 million:1000000 millionen:1000000 milliarde:1000000000 milliarden:1000000000",
    "fr": "mille:1000 million:1000000 millions:1000000 milliard:1000000000",
    "es": "mil:1000 millon:1000000 millones:1000000",
    "it": "mille:1000 mila:1000 milione:1000000 milioni:1000000",
    "pt": "mil:1000 milhao:1000000 milhoes:1000000",
    "nl": "duizend:1000 miljoen:1000000 miljard:1000000000",
}
_AND = {"en": "and", "de": "und", "fr": "et", "es": "y", "it": "e", "pt": "e", "nl": "en"}
#: Words that are a number only sometimes.  They can support a claim's number, but a claim that has them states no number.
_WEAK = {
    "en": "one once single a",
    "de": "ein eine einen einem einer eins einmal",
    "fr": "un une neuf",
    "es": "uno una un",
    "it": "uno una un sei",
    "pt": "um uma",
    "nl": "een eens",
}
_WEAK_VALUES = {"neuf": 9.0, "sei": 6.0}
LANGUAGES = tuple(_SMALL)
_WORD = re.compile(r"[^\W\d_]+")
_JOINED = re.compile(r"[\s\-‐‑]{1,2}")  # between the words of one number
_DOZENS = re.compile(r"(?i)\b(\d{1,4}) (?:dozens?|dutzend|douzaines?|docenas?|dozzine|dúzias?|dozijn)\b")
_HALF_DOZEN = re.compile(
    r"(?i)\b(?:half a dozen|(?:ein )?halbes dutzend|(?:une )?demi-douzaine|media docena|mezza dozzina|meia dúzia"
    r"|(?:een )?half dozijn)\b"
)
_KOREAN_VALUES = dict(
    zip(["한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열"], map(str, range(1, 11)), strict=True)
)
_KOREAN = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(_KOREAN_VALUES)})(?=\s?(?:마리|명|개|번|시간|살|잔|권|대|달|주|그루|송이))")
LONGEST_CJK = 30  # characters; a longer run is not a number
_CJK_NUMBER = re.compile(r"[〇零一二两兩三四五六七八九十百千万萬]+")
_CJK_DIGITS = dict(zip("零一二三四五六七八九", range(10), strict=True)) | {"〇": 0, "两": 2, "兩": 2}
_CJK_UNITS = {"十": 10, "百": 100, "千": 1000}


_UNIT = (
    r"(?:hours?|days?|weeks?|months?|years?|miles?|kilometers?|kilometres?|minutes?|kilos?|pounds?|stunden?|tage?n?|wochen?"
    r"|monate?n?|jahre?n?|heures?|jours?|semaines?|mois|ans?|années?|horas?|días?|semanas?|mes|meses|años?|ore|ora|giorni"
    r"|giorno|settiman[ae]|mesi|mese|ann[oi]|dias?|mês|anos?|uur|uren|dag|dagen|we(?:ek|ken)|maand(?:en)?|jaar|jaren)"
)
_AND_HALF = r"(?:and a half|et demie?|y medi[ao]|e mezz[ao]|e mei[ao])\b"
_HALF_WORDS = re.compile(r"(?i)half|halb|demi|medi[ao]|mezz|meia|quart|viertel|kwart|полчас|полтор|pół|półtora")
#: "half an hour", "an hour and a half" and the like, by what replaces them.
_PARTS = tuple(
    (re.compile(rf"(?i){pattern}"), replacement)
    for pattern, replacement in (
        (
            rf"\b(?:an?|one|1|eine?|une|una|un|uma|um|een) ({_UNIT}) {_AND_HALF}",
            r"1.5 \1",
        ),
        (r"\bun['’](ora) e mezza\b", r"1.5 \1"),
        (rf"\b(\d+) ({_UNIT}) {_AND_HALF}", r"\1.5 \2"),
        (rf"\b(\d+) and a half (?={_UNIT}\b)", r"\1.5 "),
        (r"\b(?:one|1) and a half\b", "1.5"),
        (r"\b(?:a )?quarter of a (?=million|billion)", "0.25 "),
        (r"\bhalf an? (?=hour|day|week|month|year|mile|minute|kilo|pound|million|billion)", "0.5 "),
        (rf"\b(?:eine?n?|eine[rmn]|die|der|das) halbe[nrsm]? (?={_UNIT}\b)|\b(?:een )?half (?=uur|jaar)", "0.5 "),
        (r"\b(?:une )?demi[- ](?=heure|journée)|\bmedi[ao] (?=hora|año|día)|\bmeia (?=hora)", "0.5 "),
        (r"\bmezz['’a]\s?(?=ora\b)", "0.5 "),
        (r"\b(?:een )?halfuur\b|\bполчаса\b|\bpół godziny\b", "30 min"),
        (
            r"\b(?:three|3)[- ]quarters of an hour|\bdreiviertelstunde\b|\b(?:trois|3) quarts d['’]heure",
            "45 min",
        ),
        (
            r"\b(?:a )?quarter of an hour\b|\b(?:eine )?viertelstunde\b|\b(?:un )?quart d['’]heure\b|\b(?:un )?cuarto de hora\b"
            r"|\b(?:un )?quarto d['’]ora\b|\b(?:um )?quarto de hora\b|\b(?:een )?kwartier\b",
            "15 min",
        ),
    )
)


def replace_number_words(text: str, language: str, *, weak: bool = False) -> str:
    """The text with number words as digits.

    ``language``: others than those above are read as English.  ``weak``: also words that are a number only sometimes, such as
    "one" and "ein", and Chinese and Japanese numerals.

    >>> replace_number_words("two hundred and fifty cats", "en")
    '250 cats'
    """
    text = _HALF_DOZEN.sub("6", text)
    text = _DOZENS.sub(lambda match: str(12 * int(match[1])), _KOREAN.sub(lambda match: _KOREAN_VALUES[match[0]], text))
    if weak:
        text = _CJK_NUMBER.sub(lambda match: _cjk_value(match.group()), text)
    language = {"no": "da", "sk": "cs"}.get(language, language)
    lexicon = _lexicon(language if language in _SMALL or language in further_numbers.LANGUAGES else "en")
    words = [(match.start(), match.end(), lexicon.fold(match.group())) for match in _WORD.finditer(text)]
    parts, at, index = [], 0, 0
    while index < len(words):
        value, used = lexicon.read(text, words, index, weak=weak)
        if not used:
            index += 1
            continue
        parts += [text[at : words[index][0]], f"{value:g}" if value < 1e6 else str(int(value))]
        at = words[index + used - 1][1]
        index += used
    return _replace_parts("".join([*parts, text[at:]]))


def _replace_parts(text: str) -> str:
    """The text with parts of units as numbers: "half an hour" is "0.5 hour"."""
    if _HALF_WORDS.search(text):
        for pattern, replacement in _PARTS:
            text = pattern.sub(replacement, text)
    return text


class _Lexicon:
    def __init__(self, language: str) -> None:
        self.french = language == "fr"
        self.weak: dict[str, float] = {}
        self.conjunction = ""
        if language in further_numbers.LANGUAGES:
            self.fold: Callable[[str], str] = str.casefold
            self.units, self.large = further_numbers.units(language), further_numbers.large(language)
            self.hundreds = further_numbers.hundreds(language)
            return
        self.fold = _fold
        small = _SMALL[language].split()
        self.units = {word: float(n) for n, word in enumerate(small)}
        self.units |= {word: 10.0 * n for n, word in enumerate(_TENS[language].split(), 2)}
        self.units |= {word: float(value) for word, value in (pair.split(":") for pair in _MORE[language].split())}
        self.large = {word: float(value) for word, value in (pair.split(":") for pair in _LARGE[language].split())}
        self.hundreds = frozenset(_HUNDRED[language].split())
        self.conjunction = _AND[language]
        self.weak = {word: _WEAK_VALUES.get(word, 1.0) for word in _WEAK[language].split()}
        self.weak.pop("a", None)
        for word in self.weak:
            self.units.pop(word, None)
        if language in ("de", "nl", "it"):
            self.units |= _compounds(language)

    def read(self, text: str, words: list[tuple[int, int, str]], index: int, *, weak: bool) -> tuple[float, int]:
        """Value and number of words of the number that starts at a word; (0, 0) if none does."""
        total = current = 0.0
        used = end = 0
        at = index
        while at < len(words) and at - index < 12 and (at == index or _JOINED.fullmatch(text[words[at - 1][1] : words[at][0]])):
            word = words[at][2]
            value = self.units.get(word)
            if value is None and (weak or used or self._multiplied(text, words, at)):
                value = self.weak.get(word)
            if value is not None and (not end or self._adds(current, value)):
                current = current + value if not (self.french and current == 4 and value == 20) else 80.0
            elif word in self.hundreds and current < 20:
                current = max(current, 1.0) * 100
            elif word in self.large and (used or word not in ("mil", "million")):
                total, current = total + max(current, 1.0) * self.large[word], 0.0
            elif not (word == self.conjunction and used and end == at):
                break
            else:
                at += 1
                continue
            at += 1
            used, end = at - index, at
        return total + current, used

    def _adds(self, current: float, value: float) -> bool:
        """Whether a number word continues a number, as "five" continues "twenty"."""
        if current == 0:
            return True
        tens = current % 100
        if self.french and ((current == 4 and value == 20) or (tens in (60, 80) and value < 20)):
            return True
        return (tens == 0 and value < 100) or (tens % 10 == 0 and tens >= 20 and value < 10)

    def _multiplied(self, text: str, words: list[tuple[int, int, str]], at: int) -> bool:
        if at + 1 >= len(words) or not _JOINED.fullmatch(text[words[at][1] : words[at + 1][0]]):
            return False
        return words[at + 1][2] in self.hundreds or words[at + 1][2] in self.large


@cache
def _lexicon(language: str) -> _Lexicon:
    return _Lexicon(language)


def _compounds(language: str) -> dict[str, float]:
    """The numbers from 21 to 9999 that the language writes as one word."""
    small, tens = _SMALL[language].split(), _TENS[language].split()
    first = {n: word for n, word in enumerate(small) if n}
    if language != "it":
        first[1] = "ein" if language == "de" else "een"
    below = dict(first)
    for ten, word in enumerate(tens, 2):
        below[10 * ten] = word
        for unit in range(1, 10):
            if language == "it":  # venti + uno = ventuno
                below[10 * ten + unit] = (word[:-1] if unit in (1, 8) else word) + first[unit]
            else:
                below[10 * ten + unit] = first[unit] + ("und" if language == "de" else "en") + word
    hundred = _HUNDRED[language]
    words = {word: float(n) for n, word in below.items() if n > 20}
    for n in range(1, 10):
        for prefix in (first[n] + hundred, hundred) if n == 1 else (first[n] + hundred,):  # "einhundertzwei", "hundertzwei"
            words[prefix] = 100.0 * n
            words |= {prefix + word: 100.0 * n + rest for rest, word in below.items()}
    thousand = {"de": "tausend", "nl": "duizend", "it": "mila"}[language]
    for n, word in first.items():
        words[word + thousand] = 1000.0 * n
        for hundreds in range(1, 10):
            words[f"{word}{thousand}{first[hundreds]}{hundred}"] = 1000.0 * n + 100 * hundreds
    return words


def _cjk_value(text: str) -> str:
    if len(text) > LONGEST_CJK:
        return text
    total = part = digit = 0
    for character in text:
        if character in _CJK_UNITS:
            part, digit = part + max(digit, 1) * _CJK_UNITS[character], 0
        elif character in "万萬":
            total, part, digit = total + max(part + digit, 1) * 10_000, 0, 0
        else:
            digit = digit * 10 + _CJK_DIGITS[character]
    return str(total + part + digit)


def _fold(word: str) -> str:
    """Lower case without accents: accents are often left out."""
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in plain if not unicodedata.combining(character))
