"""Finds personal data: addresses, numbers with check digits, and numbers that the words before them explain.

Numbers without check digits are taken only after a word that names them, because most numbers are ordinary.
"""

import ipaddress
import re
import unicodedata
from collections.abc import Iterator

from .identity_numbers import FORMATS, GERMAN_DOCUMENT, IDENTITY_WORDS, is_grouped_identity_number

Span = tuple[str, int, int]

_UNSPACED = "[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]"
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}+@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?!\w)")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ .-]?[A-Za-z0-9]{4})")
# Length of an IBAN by country.  Source: SWIFT IBAN registry.
_IBAN_LENGTHS = {
    country: int(size)
    for size, countries in {
        15: "NO", 16: "BE", 18: "DK FI NL FO GL SD", 19: "MK SI", 20: "AT EE BA KZ LT LU XK", 21: "CR CH HR LV LI",
        22: "BG BH DE GB GE IE ME RS", 23: "AE GI IL IQ TL OM SO", 24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "PT ST LY",
        26: "IS TR", 27: "FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HU LB PL SV NI", 29: "BR PS QA UA", 30: "JO KW MU",
        31: "MT SC",
    }.items()
    for country in countries.split()
}  # fmt: skip
_DIGITS = re.compile(rf"(?:(?<![\w.,-])|(?<={_UNSPACED}))\+?\(?\d(?:[ ./()-]{{0,3}}\d){{5,22}}+(?:(?![\w-])|(?={_UNSPACED}))")
_IP4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d|/\d|-[A-Za-z])")  # no network
_IP6 = re.compile(r"(?<![\w:])[0-9A-Fa-f:]{3,39}(?:\.\d{1,3}){0,3}(?![\w:])")
_DIALLED = re.compile(r"(?i)\b(?:wa\.me/|(?:tel|callto|sms|whatsapp):)\+?(\d(?:-?\d){7,14})(?!\w)")
_MAC = re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}(?![\w:-])")
_VERSION = re.compile(
    r"(?i)(?:versions?|v|release|build|kernel|linux|driver|section|chapter|kapitel|"
    r"firmware|software|abschnitt|§)[ .:]{0,2}(?:is|to|ist)?\s*$"
)
_NOT_A_PHONE = re.compile(
    r"(?i)(?:invoice|order|orders|flights?|ticket|case|part|item|model|serial|isbn|issn|article|tracking|reference|ref|version|"
    r"rechnung|"
    r"bestellung|auftrag|flug|artikel|facture|commande|vol|factura|pedido|vuelo|fattura|ordine|volo|fatura|encomenda|"
    r"numbers?|no|nr|#|at|"
    r"room|page|[$€£¥]|usd|eur)[ .:#-]{0,3}$"
)
_ORDER = re.compile(
    r"(?i)(?:order|invoice|tracking|shipment|parcel|ticket|bestell\w*|rechnung\w*|auftrag\w*|sendung\w*|commande|facture|colis|"
    r"pedido|factura|envío|ordine|fattura|spedizione|encomenda|fatura|bestelling|faktuur|ordrer?|beställning|zamówieni\w+|"
    r"faktur\w+|заказ\w*|sipariş\w*|注文|订单|주문)[^\d]{0,16}$"
)
_PHONE_WORD = re.compile(
    r"(?i)(?:phone|\b(?:calls?|tel|mobile|cell|ring|text|sms|whatsapp|signal|fax|reach|dial|handy)|telefon|anruf|nummer|mobil|"
    r"erreich|"
    r"téléphone|portable|appel|numéro|teléfono|móvil|celular|llám|número|telefono|cellulare|chiam|numero|telefone|telemóvel|"
    r"ligue|liga|"
    r"telefoon|mobiel|bel |puhelin|telefonnummer|telefonu|zadzwo|komórk|телефон|звон|номер|"
    r"мобилен|τηλέφων|κινητό|mobilní|mobil|szám|מספר|טלפון|नंबर|मोबाइल|โทร|điện thoại|"
    r"電話|电话|手机|전화|번호|هاتف|फोन)"
    r"[^\d\n]{0,30}$"
)
_REGIONS = "US GB DE FR ES IT PT BR NL PL SE RU JP CN KR IN CH AT AU MX BG CZ GR HU IL RO TR UA"
_DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}(?!\d)|\d{1,2}[./]\d{1,2}[./]\d{4}(?!\d)|\d{1,4}(?: [A-Z]|$)")
_NUMBER_WORDS: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = tuple(
    # Words of scripts without blanks stand beside other letters.
    (
        kind,
        re.compile(
            rf"(?i)(?:(?<!\w)|(?={_UNSPACED}))(?:{unicodedata.normalize('NFKC', words)})(?:(?!\w)|(?<={_UNSPACED})|"
            rf"(?={_UNSPACED}))"
        ),
        re.compile(value),
    )
    for kind, words, value in (
        (
            "birth-date",
            r"born(?: on)?|date[ _-]?of[ _-]?birth|birth[ _-]?date|birthday(?: is)?(?: on)?|dob|d\.o\.b\.|"
            r"geboren(?: am)?|geburtstag|geburtsdatum|geb\.|"
            r"née? le|date de "
            r"naissance|nacido|nacida|nací|fecha de nacimiento|nat[oa](?: il)?|data di nascita|nascid[oa]|"
            r"nasci|fødselsdato|syntymä\w{1,8}|syntynyt|"
            r"doğum\w{0,8}(?: tarih\w{1,6})?|출생(?:일)?|"
            r"dat(?:um|a) naro\w{3,8}|narozen[áý]?|szület\w{2,10}|γενν\w{4,10}|"
            r"ημερομηνία γέννησης|роден[аи]?|дата (?:народження|на раждане)|תאריך (?:ה)?לידה|"
            r"ngày sinh|sinh ngày|data nașterii|"
            r"născut[ă]?|"
            r"data de nascimento|"
            r"geboortedatum|född|födelsedatum|født|urodzon[ya]|data urodzenia|родил(?:ся|ась)|дата рождения|"
            r"生年月日|出生日期|생년월일",
            r"[^\d\n]{0,14}(\d{1,4}(?:[./-]|\.? (?=\d))\d{1,2}(?:[./-]|\.? (?=\d))\d{2,4}|\d{1,2}(?:st|nd|rd|th|\.|º|"
            r"er)?(?: of| de)? [^\W\d_]{3,12}\.?,?(?: de)? \d{4}|"
            r"[^\W\d_]{3,12}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{4}年\d{1,2}月\d{1,2}日|\d{4}년 ?\d{1,2}월 ?\d{1,2}일)",
        ),
        (
            "passport",
            r"passport(?: number| no\.?)?|(?:driver'?s?|driving) licen[cs]e(?: number| no\.?)?|"
            r"reisepass(?:nummer|-nr\.?)?|pass(?:nummer|-nr\.?)|passeport|pasaporte|passaporto|passaporte|"
            r"paspoort(?:nummer)?|"
            r"паспорт|パスポート(?:番号)?|护照(?:号码?)?|여권",
            r"[^\d\n.!?;]{0,20}?(?<![A-Za-z0-9])([A-Z]{0,3}\d[A-Z0-9 ]{4,10}[A-Z0-9])(?![A-Za-z0-9])",
        ),
        (
            "identity-number",
            IDENTITY_WORDS,
            r"[^\d\n.!?;]{0,20}?(?<![A-Za-z0-9])([A-Z]{0,4}[ -]?\d[A-Z0-9 ./-]{4,20}[A-Z0-9])(?![A-Z0-9])",
        ),
        (
            "account",
            r"(?:bank )?account (?:number|no\.?|#)|acct\.?(?: no\.?| number| #)?|kontonummer|numéro de compte|"
            r"número de cuenta|"
            r"routing(?: number)?|sort code|numero di conto|número da conta|rekeningnummer|numer konta|"
            r"номер счёта|口座番号|账号",
            r"[^\d\n.!?;]{0,14}(\d[\d -]{4,20}\d)(?!\w)",
        ),
        (
            "address",
            r"address(?: is|:)|adresse (?:ist|est|lautet|er)|adresse:|dirección (?:es|:)|indirizzo (?:è|:)|morada (?:é|:)|"
            r"endereço (?:é|:)|adres (?:is|to)|adres:|adress(?:en)? är|adresa (?:je|mea este|este)|"
            r"адрес(?:ът)?(?: ми)?(?:е|:| е)|"
            r"wohne|i live (?:at|in)",
            r" {1,2}((?:(?:am|an der|im|in der|auf dem|auf der|zum|zur|unter den|bei den|the) )?"
            r"(?:[A-ZÀ-ÝĂȘȚŁŚŻŹČŘŠŽА-ЯЁ][\w'’.-]{1,25} ){1,3}\d{1,4}[a-zA-Z]?)(?=[,.\n]| \d{4,5}|$)",
        ),
        (
            "plate",
            r"(?:licen[cs]e|number|registration|car|(?:car|van|truck|bike)'s|my|our|his|her|their) plates?(?: number)?|"
            r"plate number|(?:car|vehicle) registration|"
            r"kennzeichen|(?:plaque d')?immatricul\w{1,8}|matrícula|targa|"
            r"placa|kenteken|"
            r"registreringsnummer|номер машины|車のナンバー|车牌(?:号码?)?",
            r"[^\w\n]{0,4}(?:(?:number|is|ist|lautet|est|es|è|é|"
            r":|=|nr\.?|no\.?)[ :]{0,2}){0,2}([A-ZÄÖÜ0-9]{1,4}[ -]?[A-Z0-9]{1,4}[ -]?[A-Z0-9]{0,4})\b",
        ),
    )
)
_STREETS = re.compile(
    r"(?<![\w-])(?:\d{1,5}[A-Za-z]?,? (?:[NSEW]\.? )?(?:[A-Z][\w'.-]{1,20} ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|"
    r"Drive|Dr|Boulevard|Blvd|Court|Ct|Way|"
    r"Square|Sq|Grove|Hill|Mews|Row|Circle|Trail|Terrace|Place|Pl|Close|Crescent|Gardens|Highway|Hwy|Parkway)\b\.?"
    r"|[A-ZÄÖÜ][\wäöüß-]{1,30}(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|ufer|damm) \d{1,4}[a-z]?\b"
    r"|[A-ZÄÖÜ][\wäöüß-]{1,20}(?: [A-ZÄÖÜ][\wäöüß-]{1,20})? (?:Straße|Strasse|Str\.|Weg|Platz|Allee|Gasse|Ring|Ufer|"
    r"Damm) \d{1,4}[a-z]?\b"
    r"|\d{1,4}(?: bis| ter)?,? (?:rue|avenue|boulevard|place|chemin|impasse|quai|allée|cours) (?:(?:de|du|des|la|le|les|l'|"
    r"d'|saint[e-]?)[ -]?){0,3}[A-ZÀ-Ý][\w'’-]{1,25}(?: [A-ZÀ-Ý][\w'’-]{1,25}){0,2}"
    r"|(?i:calle|avenida|avda\.?|plaza|paseo|camino|rua|praça|travessa|alameda|via|viale|piazza|corso|vicolo|largo) (?:(?:de|"
    r"del|della|dei|di|da|do|dos|das|la|las|los|el)\s){0,2}[A-ZÀ-Ý][\w'’-]{1,25}(?: (?:de |del |da |"
    r"do )?[A-ZÀ-Ý][\w'’-]{1,25}){0,3},? (?:n[.ºo°]{1,2} ?)?\d{1,5}\b"
    r"|[A-Z][\w-]{2,25}(?:straat|laan|weg|plein|gracht|kade|dijk) \d{1,5}[a-z]?\b"
    r"|[A-ZÅÄÖÆØ][\wåäöæø-]{2,25}(?:gatan|vägen|gata|gate|veien|vej|gade|allé|katu|tie) \d{1,4}[a-zA-Z]?\b"
    r"|(?:ul\.|ulica|al\.|pl\.) [A-ZŁŚŻŹĆ][\wąćęłńóśźż-]{2,25}(?: [A-ZŁŚŻŹĆ][\wąćęłńóśźż-]{2,25})? \d{1,4}[a-z]?(?:/\d{1,4})?"
    r"|(?i:ул\.|улиц[аеуы]|вул\.|вулиц[яіюи]|проспект[ауе]?|пр\.|переул(?:ок|ке)|бул\.|булевард[ау]?|бульвар[еу]?|пл\.|"
    r"площ(?:ад|адь|ади|а)) "
    r"[\"„«]?[А-ЯЁІЇЄҐ][А-ЯЁІЇЄҐа-яёіїєґ'’-]{1,25}(?: [А-ЯЁІЇЄҐ][а-яёіїєґ'’-]{2,25})?[\"“»]?,? (?:№|д\.|дом|буд\.)? ?\d{1,4}"
    r"|(?:strada|str\.|bulevardul|bd\.|calea|aleea) [A-ZĂÂÎȘȚ][\wăâîșț-]{2,25}(?: [A-ZĂÂÎȘȚ][\wăâîșț-]{2,25})?,? "
    r"(?:nr\.? ?)?\d{1,4}\b"
    r"|[A-ZÁÉÍÓÖŐÚÜŰ][\wáéíóöőúüű.-]{2,25}(?: [A-ZÁÉÍÓÖŐÚÜŰ][\wáéíóöőúüű.-]{2,25})? (?:utca|út|tér|körút|köz|fasor) \d{1,4}\b"
    r"|[A-ZÇĞİÖŞÜ][\wçğıöşü-]{2,25}(?: [A-ZÇĞİÖŞÜ][\wçğıöşü-]{2,25})? (?:Caddesi|Cad\.|Sokağı|Sokak|Sok\.|Bulvarı)"
    r",? (?:[Nn][Oo][:.]? ?)?\d{1,4}"
    r"|(?:ulic[aei]|náměstí|třída|třídě) [A-ZÁČĎÉĚÍŇÓŘŠŤÚŮÝŽ][\wáčďéěíňóřšťúůýž-]{2,25} \d{1,4}\b"
    r"|(?:οδό[ςυ]?|λεωφόρο[ςυ]?) [Α-ΩΆΈΉΊΌΎΏ][α-ωάέήίόύώϊϋΐΰς-]{2,25} \d{1,4}"
    r"|P\.? ?O\.? Box \d{1,6})"
)

_UNSPACED_STREETS = re.compile(
    r"[\u4e00-\u9fff]{1,4}[都道府県市区町村][\u30a0-\u30ff\u3040-\u309f\u4e00-\u9fff]{1,12}\d{1,4}"
    r"(?:丁目|番地?|号|[-−‐])\d{0,4}(?:[-−‐番地号]\d{0,4})?|[\u4e00-\u9fff]{2,12}[路街道巷弄]\d{1,5}[号號]"
)


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
    for pattern, check in FORMATS:
        for match in pattern.finditer(text):
            if check is None or check(match.group()):
                yield "identity-number", *match.span()
    for kind, words, value in _NUMBER_WORDS:
        for word in words.finditer(text):
            found = value.match(text, word.end(), min(len(text), word.end() + 60))
            if found and _holds_number(kind, found[1]):
                yield kind, *found.span(1)
    for streets in (_STREETS, _UNSPACED_STREETS):
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
        if _is_card(digits) and not _ORDER.search(before):
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
    international = written.startswith("+") or (digits.startswith("00") and not _ORDER.search(before))
    named = bool(_PHONE_WORD.search(before))
    if not international and not named and (_NOT_A_PHONE.search(before) or not _looks_national(written)):
        return False
    import phonenumbers  # 5 MB of metadata: loaded only when a likely number is seen

    if international:
        number = "+" + digits.removeprefix("00") if not written.startswith("+") else written
        return _parses(phonenumbers, number, None)
    return any(_parses(phonenumbers, written, region) for region in _REGIONS.split())


def _looks_national(written: str) -> bool:
    """Written as a telephone number: with an area code in parentheses, or in groups after a leading 0, or 3-3-4 digits."""
    return bool(
        re.fullmatch(r"\(0?\d{2,5}\)[ -]?\d{2,5}[ -]?\d{2,5}(?:[ -]\d{2,4})?", written)
        or re.fullmatch(r"0\d{1,4}(?:(?:[ /-]| / )\d{2,8}){1,4}(?:-\d{1,4})?", written)
        or re.fullmatch(r"0\d(?:\.\d{2}){4}", written)
        or re.fullmatch(r"\d{3}[-.]\d{3}[-.]\d{4}", written)
    )


def _parses(phonenumbers: object, written: str, region: str | None) -> bool:
    try:
        number = phonenumbers.parse(written, region)  # type: ignore[attr-defined]
    except phonenumbers.NumberParseException:  # type: ignore[attr-defined]
        return False
    return bool(phonenumbers.is_valid_number(number))  # type: ignore[attr-defined]


def _machine_addresses(text: str) -> Iterator[Span]:
    for match in _MAC.finditer(text):
        yield "mac", *match.span()
    for match in _IP4.finditer(text):
        if _is_ip(match.group()) and not _VERSION.search(text, max(0, match.start() - 24), match.start()):
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
