"""Finds personal data: addresses, numbers with check digits, and numbers that the words before them explain.

Numbers without check digits are taken only after a word that names them, because most numbers are ordinary.
"""

import ipaddress
import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from .identity_numbers import FORMATS, GERMAN_DOCUMENT, is_grouped_identity_number
from .patterns import patterns_of, texts_of

Span = tuple[str, int, int]

_UNSPACED = "[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]"
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}+@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?!\w)")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ .-]?[A-Za-z0-9]{4})")
_IBAN_LENGTHS = {country: int(size) for size, countries in texts_of("iban_lengths").items() for country in countries.split()}
_DIGITS = re.compile(rf"(?:(?<![\w.,-])|(?<={_UNSPACED}))\+?\(?\d(?:[ ./()-]{{0,3}}\d){{5,22}}+(?:(?![\w-])|(?={_UNSPACED}))")
_IP4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d|/\d|-[A-Za-z])")  # no network
_IP6 = re.compile(r"(?<![\w:])[0-9A-Fa-f:]{3,39}(?:\.\d{1,3}){0,3}(?![\w:])")
_DIALLED = re.compile(r"(?i)\b(?:wa\.me/|(?:tel|callto|sms|whatsapp):)\+?(\d(?:-?\d){7,14})(?!\w)")
_MAC = re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}(?![\w:-])")
_BEFORE = patterns_of("before_numbers")
_REGIONS = "US GB DE FR ES IT PT BR NL PL SE RU JP CN KR IN CH AT AU MX BG CZ GR HU IL RO TR UA"
_DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}(?!\d)|\d{1,2}[./]\d{1,2}[./]\d{4}(?!\d)|\d{1,4}(?: [A-Z]|$)")


@cache  # most stacks redact no personal data, and the patterns take a tenth of a second
def _words_and_values() -> list[tuple[str, re.Pattern[str], re.Pattern[str]]]:
    """Kinds of numbers, the words that name them, and the value after these."""
    # Words of scripts without blanks stand beside other letters.
    begins, ends = rf"(?i)(?:(?<!\w)|(?={_UNSPACED}))", rf"(?:(?!\w)|(?<={_UNSPACED})|(?={_UNSPACED}))"
    named = [(kind, unicodedata.normalize("NFKC", words)) for kind, words in texts_of("personal_words").items()]
    return [(kind, re.compile(f"{begins}(?:{words}){ends}"), patterns_of("personal_values")[kind]) for kind, words in named]


def find_personal(text: str) -> Iterator[Span]:
    """Kind, start and end of personal data in a visible text, in no particular order, perhaps overlapping."""
    if "@" in text:
        yield from (("email", *match.span()) for match in _EMAIL.finditer(text))
    if not any(letter.isdigit() for letter in text):
        return
    yield from _bank_accounts(text)
    yield from _digit_groups(text)
    yield from (("telephone", *match.span(1)) for match in _DIALLED.finditer(text))
    yield from _machine_addresses(text)
    numbers = (match for pattern, check in FORMATS for match in pattern.finditer(text) if check is None or check(match.group()))
    yield from (("identity-number", *match.span()) for match in numbers)
    for kind, words, value in _words_and_values():
        for word in words.finditer(text):
            found = value.match(text, word.end(), min(len(text), word.end() + 60))
            if found and _holds_number(kind, found[1]):
                yield kind, *found.span(1)
    for streets in patterns_of("streets").values():
        yield from (("address", *match.span()) for match in streets.finditer(text))


def _holds_number(kind: str, found: str) -> bool:
    digits = sum(letter.isdigit() for letter in found)
    if kind in ("identity-number", "passport") and GERMAN_DOCUMENT.fullmatch(found):
        return True
    return digits >= 6 and not _DATE.match(found) if kind == "identity-number" else digits > 0


def _bank_accounts(text: str) -> Iterator[Span]:
    for match in _IBAN.finditer(text):
        wanted = _IBAN_LENGTHS.get(match.group()[:2].upper())
        end, plain = match.start(), ""
        while wanted and end < len(text) and len(plain) < wanted and (text[end].isalnum() or text[end] in " .-"):
            plain += text[end] if text[end].isalnum() else ""
            end += 1
        whole = end == len(text) or not text[end].isalnum()
        if wanted and whole and len(plain) == wanted and plain.isascii() and _is_iban(plain):
            yield "iban", match.start(), end


def _is_iban(plain: str) -> bool:
    return int("".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])) % 97 == 1


def _digit_groups(text: str) -> Iterator[Span]:
    """Cards, national numbers that are all digits, and telephone numbers."""
    for match in _DIGITS.finditer(text):
        written = match.group().rstrip("( ./-")
        start, end = match.start(), match.start() + len(written)
        digits = "".join(letter for letter in written if letter.isdigit())
        before = text[max(0, start - 48) : start]
        if _is_card(digits) and not _BEFORE["order"].search(before):
            yield "card", start, end
        elif is_grouped_identity_number(written, digits):
            yield "identity-number", start, end
        elif re.fullmatch(r"(?!000|666|9)\d{3}[- ](?!00)\d{2}[- ](?!0000)\d{4}", written):
            yield "social-security", start, end
        elif _is_telephone(written, digits, before):
            yield "telephone", start, end


def _is_card(digits: str) -> bool:
    two, four = int(digits[:2]), int(digits[:4]) if len(digits) >= 4 else 0
    lengths = (
        {13, 16, 19} if digits[0] == "4"
        else {16} if 51 <= two <= 55 or 2221 <= four <= 2720
        else {15} if two in (34, 37)
        else {14} if two in (36, 38) or 300 <= four // 10 <= 305
        else {16} if four in (5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763)  # Maestro
        else {16} if two == 35 or two == 65 or four == 6011 or 644 <= four // 10 <= 649
        else {16, 17, 18, 19} if two == 62
        else set()
    )  # fmt: skip
    return len(digits) in lengths and len(set(digits)) > 1 and _passes_luhn(digits)


def _passes_luhn(digits: str) -> bool:
    values = [int(digit) for digit in reversed(digits)]
    return sum(value if place % 2 == 0 else value * 2 - 9 * (value > 4) for place, value in enumerate(values)) % 10 == 0


def _is_telephone(written: str, digits: str, before: str) -> bool:
    if not 7 <= len(digits) <= 15:
        return False
    international = written.startswith("+") or (digits.startswith("00") and not _BEFORE["order"].search(before))
    named = bool(_BEFORE["phone"].search(before))
    if not international and not named and (_BEFORE["no_phone"].search(before) or not _looks_national(written)):
        return False
    if international:
        return _is_valid("+" + digits.removeprefix("00") if not written.startswith("+") else written, None)
    return any(_is_valid(written, region) for region in _REGIONS.split())


def _looks_national(written: str) -> bool:
    """Written as a telephone number: with an area code in parentheses, or in groups after a leading 0, or 3-3-4 digits."""
    return bool(
        re.fullmatch(r"\(0?\d{2,5}\)[ -]?\d{2,5}[ -]?\d{2,5}(?:[ -]\d{2,4})?", written)
        or re.fullmatch(r"0\d{1,4}(?:(?:[ /-]| / )\d{2,8}){1,4}(?:-\d{1,4})?", written)
        or re.fullmatch(r"0\d(?:\.\d{2}){4}", written)
        or re.fullmatch(r"\d{3}[-.]\d{3}[-.]\d{4}", written)
    )


def _is_valid(written: str, region: str | None) -> bool:
    import phonenumbers  # 5 MB of metadata: loaded only when a likely number is seen

    try:
        return bool(phonenumbers.is_valid_number(phonenumbers.parse(written, region)))
    except phonenumbers.NumberParseException:
        return False


def _machine_addresses(text: str) -> Iterator[Span]:
    yield from (("mac", *match.span()) for match in _MAC.finditer(text))
    for match in _IP4.finditer(text):
        if _is_ip(match.group()) and not _BEFORE["version"].search(text, max(0, match.start() - 24), match.start()):
            yield "ip", *match.span()
    if "::" in text or text.count(":") >= 7:
        for match in _IP6.finditer(text):
            if match.group().count(":") >= 2 and any(letter.isalnum() for letter in match.group()) and _is_ip(match.group()):
                yield "ip", *match.span()


def _is_ip(written: str) -> bool:
    """Whether it is the address of a host: loopback and unspecified addresses are everybody's."""
    try:
        address = ipaddress.ip_address(written)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)
