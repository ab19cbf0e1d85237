"""Compares the amounts and times of day of two texts."""

import re

from ..tokenizer import is_function_word
from . import forms

_CLOCK = re.compile(r"\b\d{1,2}(?:[:.h]\d{2})?\s?(?:am|pm|uhr|h|o'clock)\b|\b\d{1,2}[:h]\d{2}\b", re.IGNORECASE)
_AMOUNT = re.compile(r"(?P<before>[$€£¥])?\s?(?P<number>\d+(?:[.,:]\d+)*)[\s-]?(?P<unit>[^\W\d_]{1,12}|[$€£¥%])?")
GROWN = forms.anywhere(
    r"grown|outgrown|outgrew|grew|growth spurt|shot up|sizes? up|up a size|gewachsen|rausgewachsen|grandi|crecido|creció"
    r"|cresciut[oaie]"
    r"|cresceu|cresceram|gegroeid|uros\w+|urós\w*|вырос\w*",
    r"大きくな|伸び|长大|长高|컸|자랐",
)
_SIZED = forms.anywhere(
    r"size|shoes?|foot|feet|tall|\w*größe|schuhe?|groß|pointure|taille|chausse|mesure|talla|calza|mide|numero|misura"
    r"|alt[oa]|tamanho"
    r"|calça|mede|(?:schoen)?maat|lang|rozmiar\w*|wzrost\w*|размер\w*|рост\w*|\d+\s?cm",
    r"サイズ|センチ|码|尺码|사이즈",
)
_LENGTH = re.compile(r"\d\s?(?:cm|ft|inches|feet|см)\b", re.IGNORECASE)
AMOUNT_AND_UNIT = re.compile(
    r"[$€£¥]?\s?\d+(?:[.,:]\d+)*(?:\s?(?:[$€£¥%]|euros?|dollars?|pounds?|quid|bucks|pence|cents?|k|kg|kilos?|km|mg|ml"
    r"|cm|am|pm|uhr|h|zł"
    r"|złotych|руб\w*|reais|円|块|元|万?\s?원))?(?:\s(?:a|per|pro|im|par|al|ao|por|per|na|в) (?:month|week|year|day|monat"
    r"|mois|mes|mese|mês"
    r"|maand|miesiąc|месяц))?",
    re.IGNORECASE,
)
SIZE = re.compile(
    r"\b(?:size|taille|pointure|talla|taglia|misura|numero|número|tamanho|maat|größe|rozmiar\w*|размер\w*)\W{0,3}(\d+)"
    r"|(\d+)\s?(?:码|号)|サイズ\D{0,2}(\d+)|사이즈\D{0,3}(\d+)",
    re.IGNORECASE,
)
_FOOTWEAR = forms.anywhere(
    r"shoes?|sneakers?|trainers?|boots?|sandals?|slippers?|wellies|schuhe?|\w*stiefel|sandalen|turnschuhe?|chaussures?|baskets"
    r"|bottes?|pointure|chausse|zapat\w+|botas?|calza|scarp\w+|stivali|sapat\w+|t[êe]nis|calça|\w*schoen\w*|laarzen"
    r"|buty|butów|туфли"
    r"|ботин\w+|кроссовк\w+|обув\w+",
    "靴|鞋|신발|운동화",
)
_CLOTHES = forms.anywhere(
    r"trousers|pants|jeans|shirts?|t-shirts?|tops?|jumpers?|sweaters?|dress(?:es)?|skirts?|jackets?|coats?|bra|ring|hat|gloves?"
    r"|hosen?|hemd|pulli|pullover|kleid\w*|jacken?|mantel|pantalons?|chemises?|robes?|vestes?|manteau|pantal\w+"
    r"|camis\w+|vestid\w+"
    r"|chaqueta|abrigo|magli\w+|giacca|cappotto|calças|casaco|broek\w*|jas|trui|jurk|spodnie|kurtk\w+|sukienk\w+"
    r"|брюк\w+|куртк\w+|плать\w+",
    "ズボン|シャツ|服|裤|衬衫|바지|셔츠|옷",
)


def sizes_differ(new: str, old: str) -> bool:
    """Whether each has one size and neither is of shoes where the other is of clothes."""
    mine, theirs = ({next(filter(None, found.groups())) for found in SIZE.finditer(text)} for text in (new, old))
    if len(mine) != 1 or len(theirs) != 1 or mine == theirs:
        return False
    return not are_other_garments(new, old)


def are_other_garments(new: str, old: str) -> bool:
    """Whether one text speaks of shoes and the other of clothes."""
    pairs = ((new, old), (old, new))
    return any(_FOOTWEAR.search(one) and _CLOTHES.search(other) for one, other in pairs)


def outgrows(new: str, old: str) -> bool:
    """Whether somebody has grown, and both texts have one number of the same kind, a size or a length."""
    if GROWN.search(new) is None or _SIZED.search(old) is None or bool(_LENGTH.search(new)) != bool(_LENGTH.search(old)):
        return False
    return one_number_differs(new, old)


def amounts_differ(new: str, old: str) -> bool:
    """Whether both texts have amounts of one unit, or times of day, and none of them is the same."""
    if any(map(forms.LABELLED.search, (new, old))):
        return False
    mine, theirs = _amounts(new), _amounts(old)
    return any(not mine[unit] & theirs[unit] for unit in mine.keys() & theirs.keys())


def one_number_differs(new: str, old: str) -> bool:
    mine, theirs = forms.NUMBER.findall(new), forms.NUMBER.findall(old)
    return len(mine) == len(theirs) == 1 and mine != theirs and not any(map(forms.LABELLED.search, (new, old)))


def _amounts(text: str) -> dict[str, set[str]]:
    """Numbers by unit, "clock" for times of day."""
    found: dict[str, set[str]] = {}
    for match in _CLOCK.finditer(text):
        found.setdefault("clock", set()).add(match.group().casefold())
    for match in _AMOUNT.finditer(_CLOCK.sub(" ", text)):
        unit = (match["before"] or match["unit"] or "").casefold().rstrip("s")
        unit = "" if is_function_word(unit) or forms.NOW.fullmatch(unit) else unit
        found.setdefault(unit, set()).add(match["number"])
    return found
