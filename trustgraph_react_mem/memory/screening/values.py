"""Decides whether a value may be a secret, by its form and by what follows it."""

import re
from typing import Literal

from .patterns import texts_of, words_of

Keyword = Literal["password", "phrase", "code", "key"]
KEYWORDS = re.compile("|".join(f"(?P<{kind}>{words})" for kind, words in texts_of("keywords").items()))
ORDINARY, COPULAS = words_of("ordinary"), words_of("copulas")
NAMED_WORDS, SERVICE_WORDS = words_of("named"), words_of("services")
#: What stands before one of these may be the secret.
AS_WORDS = frozenset({"as", "become", "becomes", "became", "that's"})
#: A secret was changed to another.
INTO = frozenset({"to", "into"})
#: What follows a keyword and says what the secret is for: "password for my mail ...".
FOR_WORDS = frozenset({"for", "to", "of", "on", "at", "from"})
# Who forgot a secret does not tell it.
WITHOUT_VALUE = re.compile(r"(?i)forg[eo]t|\blost\b|\breset")
COMPOUND = re.compile(
    r"(?i)[\s-]{1,2}(?:managers?|polic\w+|resets?|generators?|hash\w*|protect\w*|length|strength|fields?|forms?|vaults?|apps?|"
    r"hints?|providers?|services?|systems?|tools?|solutions?|keepers?|checkers?|databases?|rules?|requirements?|expir\w+|pages?|prompts?|recovery|change[sd]?|encryption|less)\b"
)
PLACEHOLDER = re.compile(
    r"(?i)^(?:[*x•.…-]{2,}|[<\[{][^>\]}]*[>\]}]*\W*|\$[A-Z_({].*|%\w+%?|null|none|nil|true|false|undefined|string|str|int|bool(?:ean)?|bytes|text|n/?a|tbd|"
    r"todo|required|optional|your[-_ ].*|change[-_]?me|await|\(.*)$"
)
_SPELLING = re.compile(r"(?i)\s{1,3}(?:(?:all|in|with|with a)\s){0,2}(?:lower|upper|small|capital)")
MEASURE = re.compile(
    r"(?i)\s{0,2}(?:characters?|chars?|digits?|letters?|%|times|days?|years?|hours?|minutes?|months?|mg|mcg|ml|kg)"
)
DATE = re.compile(r"^(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}:\d{2})$")


def is_far_secret(value: str, kind: Keyword, *, linked: bool, after: str) -> bool:
    """Stricter than beside a keyword: digits among letters, or a number where one is expected."""
    if PLACEHOLDER.match(value) or value.lower() in ORDINARY or MEASURE.match(after) or DATE.match(value):
        return False
    if kind == "code":
        return linked and value.isdecimal() and 4 <= len(value) <= 8
    digits, letters = sum(letter.isdigit() for letter in value), sum(letter.isalpha() for letter in value)
    if kind == "key":
        return is_dense(value) and len(value) >= 12 and digits >= 2 and not set(value) & set("/()@")
    if digits == 0 or letters < 3 or len(value) < 6 or set(value) & set("/()@"):
        return linked and digits >= 5 and value.isdecimal() and len(value) <= 12
    return linked or any(sign in value[1:-1] for sign in "#!$%&*+_?^~=")


def is_secret(value: str, kind: Keyword, *, explicit: bool, after: str) -> bool:
    if PLACEHOLDER.match(value) or value.lower() in ORDINARY or MEASURE.match(after):
        return False
    if value[0].isdecimal() and MEASURE.match(value.lstrip("0123456789")):
        return False
    if DATE.match(value) and (kind != "code" or "-" not in value):
        return False
    digits = sum(letter.isdigit() for letter in value)
    if kind == "code":
        upper = digits > 0 and len(value) >= 5 and value == value.upper() and any(letter.isalpha() for letter in value)
        return (3 <= digits <= 12 or (explicit and upper)) and len(value) <= 16
    if kind == "key":
        return is_dense(value)
    if len(value) < 3:
        return False
    plain = value.isalpha() and value[1:] == value[1:].lower()
    if not plain:
        return digits > 0 or any(not letter.isalnum() for letter in value.strip("-")) or value[1:] != value[1:].lower()
    # A plain word: a password after a colon, or at the end of a clause ("my password is sunshine.").
    return explicit or _SPELLING.match(after) is not None or not re.match(r"\s{1,3}\w", after)


def is_dense(value: str) -> bool:
    """Whether a value looks generated: long, with digits among letters."""
    digits = sum(letter.isdigit() for letter in value)
    letters = sum(letter.isalpha() for letter in value)
    mixed = len(value) >= 6 and digits > 0 and letters > 0 and not DATE.match(value)
    return mixed or (len(value) >= 20 and " " not in value)
