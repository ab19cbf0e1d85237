"""National identity numbers that their form and check digits tell from other numbers."""

import re
from collections.abc import Callable


def is_grouped_identity_number(written: str, digits: str) -> bool:
    """CPF and AHV numbers as people write them.  Their groups and check digits tell them from other numbers."""
    if re.fullmatch(r"\d{3}\.\d{3}\.\d{3}-\d{2}", written):
        return len(set(digits)) > 1 and _cpf_check(digits, 9) == int(digits[9]) and _cpf_check(digits, 10) == int(digits[10])
    if re.fullmatch(r"756\.\d{4}\.\d{4}\.\d{2}", written):
        return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10 == 0
    return False


def _cpf_check(digits: str, size: int) -> int:
    return sum(int(digits[place]) * (size + 1 - place) for place in range(size)) * 10 % 11 % 10


def _is_dni(written: str) -> bool:
    number = written[:-1].rstrip("- ").translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == written[-1]


def _is_resident_number(written: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(digit) * weight for digit, weight in zip(written[:17], weights, strict=True))
    return "10X98765432"[total % 11] == written[17].upper()


def _is_finnish(written: str) -> bool:
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(written[:6] + written[7:10]) % 31] == written[10]


def _is_french(written: str) -> bool:
    """Source: INSEE, key of the registration number; 2A and 2B, the departments of Corsica, count as 19 and 18."""
    plain = re.sub(r"[^0-9AB]", "", written.upper())
    return 97 - int(plain[:13].replace("2A", "19").replace("2B", "18")) % 97 == int(plain[13:])


def _is_german_document(written: str) -> bool:
    """The last digit is a check digit.  Source: ICAO 9303, part 3: weights 7, 3, 1; letters count from 10."""
    values = [int(letter, 36) for letter in written[:10]]
    return sum(value * (7, 3, 1)[place % 3] for place, value in enumerate(values[:9])) % 10 == values[9]


#: Numbers of German identity cards and passports on the card: without check digit, so only after a word that names them.
GERMAN_DOCUMENT = re.compile(r"[CFGHJKLMNPRTVWXYZ](?=[A-Z]{0,8}\d)[0-9CFGHJKLMNPRTVWXYZ]{8}\d?")

#: Forms of numbers, with the check that a written one passes.  None: the form is enough.
FORMATS: tuple[tuple[re.Pattern[str], Callable[[str], bool] | None], ...] = (
    (re.compile(r"(?<![\w])(?:\d{8}|[XYZ]\d{7})[- ]?[A-Z](?!\w)"), _is_dni),
    # The Italian codice fiscale: no ordinary word has its pattern of letters and digits.
    (re.compile(r"(?<!\w)[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?!\w)", re.IGNORECASE), None),
    (re.compile(r"(?<!\w)(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)"), None),
    (re.compile(r"(?<!\d)[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[\dXx](?!\w)"), _is_resident_number),
    (re.compile(r"(?<!\w)[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z](?!\w)"), None),
    # Of British driving licences.
    (re.compile(r"(?<!\w)[A-Z]{1,5}9{0,4}(?<=\w{5})\d[0156]\d(?:0[1-9]|[12]\d|3[01])\d[A-Z9]{2}\d[A-Z]{2}(?!\w)"), None),
    (re.compile(r"(?<!\w)\d{6}[-+A]\d{3}[0-9A-FHJ-NPR-Y](?!\w)"), _is_finnish),
    (
        re.compile(
            r"(?<!\w)[1-478][ .-]?\d{2}[ .-]?(?:0[1-9]|1[0-2]|[2-9]\d)[ .-]?(?:\d{2}|2[AaBb])[ .-]?\d{3}[ .-]?\d{3}"
            r"[ .,/-]{0,3}(?:(?i:cl[ée])[ :]{1,2})?\d{2}(?!\w)"
        ),
        _is_french,
    ),
    (
        re.compile(r"(?<![\w#-])[CFGHJKLMNPRTVWXYZ](?=[A-Z]{0,5}\d)[0-9CFGHJKLMNPRTVWXYZ]{8}\d(?:D(?!\w)|(?![\w-]))"),
        _is_german_document,
    ),
)
