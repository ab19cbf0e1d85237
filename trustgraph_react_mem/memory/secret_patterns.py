"""Finds secrets: assignments and sentences that name one ("my password is ..."), and tokens of known formats.

A keyword is found first, then the text after it is read with bounded patterns, so the work is linear in the text.
"""

import re
from collections.abc import Iterator
from typing import Literal

from .secret_formats import find_formats
from .text.secret_words import (
    COPULAS,
    FOR_WORDS,
    INTO,
    KEYWORDS,
    NAMED_WORDS,
    ORDINARY,
    SERVICE_WORDS,
    WITHOUT_VALUE,
)

Keyword = Literal["password", "phrase", "code", "key"]

_REACH = 160  # characters after a keyword in which its value begins
_NAME_END = re.compile(r"(?:_[A-Za-z0-9_]{1,40}|[A-Z][a-z]{1,20})?+(?:\[\w{0,20}\])?")
_CLOSING = r"\\{0,3}+[\"'`»”\]*]{0,2}+"
_ABOUT = (
    r"(?:\s{0,3}\([^()\n]{1,40}\))?"
    r"(?:\s{1,3}(?:for|to|of|on|at|für|zum|zur|von|vom|im|beim|pour|de|du|des|del|della|di|do|da|dos|para|voor|van|til|"
    r"för|dla|"
    r"для|от|к|ke?|meine[rsm]?|seine[rsm]?|unsere[rsm]?|der|d[oa]s|mojej|моей)\b[^\n:=.!?]{1,50}?)??"
)
_ASSIGNED = re.compile(
    _CLOSING + _ABOUT + r"\s{0,3}(?::=|=>|->|→|[:=：]|[–—]|-(?=\s))\s{0,3}\*{0,2}\s{0,3}\\{0,3}"
    r"(?:!!?\w{1,20}\s{1,3})?"  # a tag of YAML
)
_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?[ \t]{0,3}\n((?:[ \t]{1,16}+[^\n]{1,400}+(?:\n|$)){1,60}+)")  # of YAML: indented lines
_BRACED = re.compile(r"\{([^{}\s\"']{3,80})\}(?=;)")  # Password={...}; of ODBC
_BESIDE_NAME = re.compile(r"[\"']?,?\s{1,3}[\"']?value[\"']?\s{0,3}[:=]\s{0,3}")  # name="ApiSecret" value="..."
_IN_TAG = re.compile(r">\s{0,3}")  # <password>...
_ADVERB = (
    r"(?:now|still|currently|always|simply|just|jetzt|nun|noch|weiterhin|maintenant|ahora|adesso|ora|agora|nu|nå|teraz|"
    r"теперь)"
)
_VERB = (
    r"(?:c'est|has been changed to|have been changed to|was changed to|is set to|was set to|set to|changed to|will be|"
    r"should be|is|was|are|were|being|to|ist|war|lautet|lautete|wäre|est|était|sera|es|era|será|è|é|foi|is|är|"
    r"var|er|on(?!\s(?:the|my|a|an|your|his|her|our|this|that|it)\b)|oli|to|je|byl|est[eé]|a fost|είναι|"
    r"это|был|była?|है|هي|هو|là)"
)
_STATED = re.compile(
    _CLOSING + _ABOUT + rf"\s{{1,3}}(?:{_ADVERB}\s{{1,3}})?{_VERB}(?:\s{{1,3}}{_ADVERB})?\s{{0,3}}:?\s{{1,3}}", re.IGNORECASE
)
_LEAST_GLUED = 5  # letters of a keyword that may follow other letters: "DBPASSWORD=", "dbpassword:", "mytoken="
_MIXED = re.compile(
    r"\s{1,3}(?=[^\s\"'`,;()<>]{0,30}[^\W\d_])(?=[^\s\"'`,;()<>]{0,30}\d)(?=[^\s\"'`,;()<>]{5,})"
)  # "pw kalimba44"
_SPACED_CODE = re.compile(
    r"[*#]?\d{1,4}(?:(?:\s?[-/]\s?|\s)\d{1,4}){1,5}[*#]?(?![\w.,/-]*\d)|\d{1,2}(?:, ?\d{1,2}){2,5}(?![\w,]*\d)|"
    r"\d{1,4} ?(?:klucz|key|Schlüssel|clé|llave|"
    r"[KkB]) ?\d{2,6}(?!\w)"
)
_GROUPED_KEY = re.compile(r"[A-Za-z2-7]{4}(?:[ -][A-Za-z2-7]{4}){3,12}(?!\w)")
_NEXT_CODE = re.compile(r"\s{0,2}(?:[,;/|]|\n|\s(?:and|und|et|y|e|en|i|и)\s)\s{0,2}(?:-\s)?([\w-]{4,16})")
_NEXT_PAIR = re.compile(r"\s{0,2}[,;/|\n]\s{0,2}(?:-\s)?(\d{2,6}(?: \d{2,6}){1,3})(?![\w.]*\d)")
_EXPRESSION = re.compile(
    r"[A-Za-z_$][\w$]{0,40}(?:\.[A-Za-z_$][\w$]{0,40}){0,6}[(\[]|(?:self|this|os|process|config|settings|env|req|"
    r"request|args|opts|"
    r"options|params|ctx|form|data|body|user)\.[a-z]|(?:await|raise|return|yield|throw|new|required|optional)$",
    re.IGNORECASE,
)
_BEFORE_KEYWORD = re.compile(
    r"(?<![\w-])((?:[A-Z]{1,3}-)?\d[\d -]{1,10}\d)(?= (?:is|ist|est|es|é|è|to(?! (?:the|a|an|my|our|your)\b)|är)\b"
    r"[^\n.]{0,40}?\b(?i:one[- ]time|"
    r"verif\w*|security code|"
    r"confirm\w* code|combination (?:of|to|for)\b[^\n.]{0,16}?\b(?:safe|vault)|"
    r"(?:safe|vault)(?:'s)? (?:combination|code)|login|log-in|sign[- ]in|passcode|otp|pin\b|tan\b|2fa|access code|"
    r"bestätigung\w*|sicherheitscode|"
    r"vérification|verificación|verifica|verificação))"
)
_PAIR = re.compile(
    r"(?i)\b(?:log-?ins?|cred(?:ential)?s|wi-?fi|wlan|ssid|hotspot|zugangsdaten|identifiants|credenciales|credenziali|"
    r"dados de acesso|"
    r"логин|account)(?: (?:is|are|sind|sont|son|sono))?\s{0,2}:?\s{1,3}[^\s:/]{2,60}\s{0,2}[:/]\s{0,2}([^\s/,;][^\s,;]{4,60})"
)
_CORRECTED = re.compile(
    r"[^\n.:=]{1,60}?(?:\bit'?s(?: now)?|\bit is(?: now)?|\bbut|\bsondern|\bmais|\bsino|\bma|"
    r"\bа)\s{1,3}(?=\S{0,30}\d)(?=\S{0,30}[^\W\d_])",
    re.IGNORECASE,
)
_ANSWER = re.compile(
    r"(?i)(?:security question|sicherheitsfrage|question (?:secrète|de sécurité)|pregunta de seguridad|domanda di sicurezza)"
    r"[^\n]{1,100}?(?:answer|antwort|réponse|respuesta|risposta)(?: (?:is|ist|est|es|è))?[ :=-]{1,4}([^\n,.;!?]{2,80})"
)
_THE_SAFE = r"(?:the|my|our|his|her|their|your) (?:[a-z]{1,12} )?(?:safe|vault)\b"
_DIALLED = r"(\d{1,2}(?:(?:\s?[-/]\s?|, ?|\s)\d{1,2}){2,5}|\d{3,8})(?![\w-])"
_SAFE_NEARBY = re.compile(
    rf"(?i)\b{_THE_SAFE}[^\n.\d]{{1,40}}?\bcomb(?:ination|o)[^\n.\d]{{1,12}}{_DIALLED}|"
    rf"\bcomb(?:ination|o)[^\n.\d]{{1,12}}{_DIALLED}[^\n.\d]{{1,30}}?{_THE_SAFE}"
)
_CHANGED = re.compile(
    r"(?i)(?:changed|reset|\bset\b|updated|geändert|gewechselt|gesetzt|festgelegt|changé|modifié|cambi(?:ado|é|ato)|alter(?:ei|ou)|mud(?:ei|ou)|"
    r"veranderd|gewijzigd|ändra\w*|satt?e?\b|ställde|byt(?:t|te)\b|ændre\w*|endre\w*|vaihdoin|zmieni\w+|změni\w+|zmeni\w+|смени\w*|"
    r"змін\w+|промени\w*|schimbat|megváltoztat\w*|değiştir\w*|ubah|đổi)"
)
_CLAUSE = re.compile(r"[^\n]{0,90}?(?=[.!?;。！？](?:\s|$)|\n|$)")
_COMPOUND = re.compile(
    r"(?i)[\s-]{1,2}(?:managers?|polic\w+|resets?|generators?|hash\w*|protect\w*|length|strength|fields?|forms?|vaults?|apps?|"
    r"hints?|rules?|requirements?|expir\w+|pages?|prompts?|recovery|change[sd]?|encryption|less|manager\w*|richtlinie\w*|länge)\b"
)
_FAR_VALUE = re.compile(
    r"(?<!\S)(?P<before>[^\s\"`„“«]{1,24})[ \u00a0]{1,2}(?:(?:the|le|la|el|il|lo|den|der|die|das|het) )?"
    r"(?:[\"'`„“«](?P<quoted>[^\n\"'`”“»]{3,80})[\"'`”“»]|(?P<token>[^\s\"'`,;，。<>]{4,80}))"
)
_ENGLISH = re.compile(r"pass|pwd|pw|key|token|secret|credential|code|pin$")
_JOINED = re.compile(
    r"\s{0,3}(?:は|が|是|为|為|改成了?|改为|改為|我?[设設](?:置|定)?[成为為]了?|는|은|이|가|"
    r"[를을](?=\s{0,3}[!-~]{6})(?=\s{0,3}[!-~]{0,30}\d))\s{0,3}[:：]?\s{0,3}"
)
_BARE = re.compile(r"\s{1,3}(?=\S{0,40}\d)")  # "api key X1", "PIN 4821"
_NUMBER = re.compile(r"\s{1,3}(?=\d{4,12}(?![\w/:%°-]|[.,]\d))(?!(?:19|20)\d\d\s{0,3}[^\s.,;!?)])")  # "passcode 4821", no year
_QUOTED_BARE = re.compile(r"\s{1,3}(?=([\"'`])[^\s\"'`]{0,60}\d[^\s\"'`]{0,60}\1)")  # the password 'kettle8'
_SPACE_QUOTED = re.compile(r"\s{1,3}(?=[\"'`“„«])")
_BESIDE_PASSWORD = (_MIXED, _NUMBER, _QUOTED_BARE)
_ASKED = re.compile(r"[^\n?？]{0,50}[?？]\s{1,3}(?:[^\W\d_]{1,12}: )?")  # "wifi password? kalimba44"
_NO_LAST_WORD = ORDINARY | FOR_WORDS | NAMED_WORDS  # before a value
_WORD = r"(?:[^\W\d_]|['’-]){1,24}"
_NAMED = re.compile(
    rf"((?:\s{{1,3}}{_WORD}){{1,4}})\s{{1,3}}([^\s\"'`,;，。<>()]{{4,64}})(?=[\"'`,;!?]?(?:\s{{0,3}}$|\s{{0,3}}\n|[.,;!?]\s|\s[–—-]\s))"
)  # "password for my mail kalimba44", at the end of a clause

_AS_PASSWORD = re.compile(
    r"(?<!\S)([^\s\"'`,;]{5,64}) (?:as|als|comme|como|come|jako|som|kot|ca|как|като|як) "
    r"(?=(?:[^\W\d_]{1,10} ){0,2}(?i:[\w-]{0,12}passw|[\w-]{0,12}kennwort|mot de passe|contraseña|senha|wachtwoord|"
    r"lösenord|hasł|hesl|парол))"
)
_IS_PASSWORD = re.compile(
    r"(?<!\S)([^\s\"'`,;]{5,64}) (?:is|was|ist|war|est|es|era|é|è|är|var|er|jest|je|это|[–—-]) "
    r"(?:(?:my|our|the|his|her|their|your|mein|unser|das|mon|notre|le|mi|nuestra|la mia|la|minha|a|mijn|ons|het|min|mitt|mit|"
    r"moje|мой|наш) )(?:[^\W\d_]{1,12}[ -]){0,2}(?i:passwor[dt]|passphrase|kennwort|mot de passe|contraseña|clave|senha|"
    r"wachtwoord|lösenord|adgangskode|passord|hasło|heslo|пароль)(?![\w-])"
)
_USER_PASS = re.compile(
    r"(?i)\b(?:user(?:name)?|login)\b[\s:=]{1,3}[^\s,;/]{1,60}[\s,;/]{1,3}(?:and )?pass(?:word)?[\s:=]{1,3}([^\s,;]{5,64})"
)
_SPELLED = re.compile(r"(?<![\w'’])\w(?!\w)(?:[-,.·]? ?(?<!\w)\w(?!\w)){4,40}+")  # "S-O-M-M-E-R", "T, u, l, p, e"
_FAR_TOKEN = re.compile(r"[^\s\"'`,;，。<>]{4,80}")
_QUOTED = re.compile(r"[\"'`“„«‘]+([^\"'`”“»’\n]{2,200})[\"'`”“»’]")
_TOKEN = re.compile(r"[^\s\"'`,;，、。”»<>]{2,200}")
_WORDS = re.compile(r"(?:[^\W\d_]{2,20}[ ,-]{1,2}){3,30}[^\W\d_]{2,20}")
_PLACEHOLDER = re.compile(
    r"(?i)^(?:[*x•.…-]{2,}|[<\[{][^>\]}]*[>\]}]*\W*|\$[A-Z_({].*|%\w+%?|null|none|nil|true|false|undefined|string|str|int|bool(?:ean)?|bytes|text|n/?a|tbd|"
    r"todo|required|optional|your[-_ ].*|change[-_]?me|await|\(.*)$"
)
_SPELLING = re.compile(r"(?i)\s{1,3}(?:(?:all|in|with|with a)\s){0,2}(?:lower|upper|small|capital|klein|groß|minuscul)")
_MEASURE = re.compile(
    r"(?i)\s{0,2}(?:characters?|chars?|digits?|letters?|zeichen|stellen|stellig|caract|caratteri|tekens|символ|%|times|days?|"
    r"years?|hours?|"
    r"minutes?|months?|mg|mcg|ml|kg|tage|jahre|jours|ans|días|años|文字|桁|位|자|글자|일|개월|년|日|天|个月|年|дн|"
    r"(?:dni|dní|dag(?:ar|en?|er)|giorni|dias|zile|päivää|gün|znak\w*|merkki\w*|tegn|tecken|karakter\w*)\b)"
)
_DATE = re.compile(r"^(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}:\d{2})$")


def find_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Spans of secrets in a visible text, in no particular order, perhaps overlapping."""
    for match in KEYWORDS.finditer(_lower(text)):
        yield from _after_keyword(text, match)
    yield from _around_keyword(text)
    yield from _table_columns(text)
    yield from find_formats(text)


def _lower(text: str) -> str:
    """The text in lower case, of the same length.  The pattern is several times faster on it than if it ignored the case."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(one if len(one := letter.lower()) == 1 else letter for letter in text)


def _after_keyword(text: str, match: re.Match[str]) -> Iterator[tuple[int, int]]:
    start, end = match.span()
    glued = start and text[start].isalpha() and text[start].isascii() and text[start - 1].isalpha()
    if glued and not (text[start].isupper() and text[start - 1].islower()) and end - start < _LEAST_GLUED:
        return
    kind: Keyword = match.lastgroup  # type: ignore[assignment]
    end = _NAME_END.match(text, end).end()  # type: ignore[union-attr]
    if end < len(text) and text[end].isalnum() and text[end].isascii():
        return
    stop = min(len(text), end + _REACH)
    assigned = _ASSIGNED.match(text, end, stop) or _BESIDE_NAME.match(text, end, stop)
    if assigned is None and start and text[start - 1] in "<:":
        assigned = _IN_TAG.match(text, end, stop)
    standing = not start or not (text[start - 1].isalnum() or text[start - 1] == "_")
    if assigned is None and standing and text[start:end].casefold() == "pass":  # also of a mountain, and a verb
        yield from _far_value(text, start, end, kind)
        return
    link = assigned or _STATED.match(text, end, stop) or _JOINED.match(text, end, stop) or _bare(text, start, end, stop, kind)
    if link is None or (glued and assigned is None and text[start].islower() and end - start < _LEAST_GLUED):
        yield from _far_value(text, start, end, kind)
        return
    found = list(_value(text, link.end(), kind, explicit=assigned is not None or link.re is _JOINED))
    yield from found if found or assigned else _far_value(text, start, end, kind)


def _named_value(text: str, start: int, end: int, kind: Keyword) -> tuple[int, int] | None:
    """The secret after a few words that say what it is for, or after a question for it, at the end of a clause."""
    stop = min(len(text), end + _REACH)
    if kind == "password" and (spelled := _SPELLED.search(text, end, stop)):
        return spelled.span()
    found = _asked_value(text, end, stop, kind) or _value_for(text, end, stop, kind)
    return None if found and WITHOUT_VALUE.search(text, max(0, start - 60), stop) else found


def _asked_value(text: str, end: int, stop: int, kind: Keyword) -> tuple[int, int] | None:
    if (asked := _ASKED.match(text, end, stop)) and (token := _FAR_TOKEN.match(text, asked.end())):
        value = token.group().rstrip(".!")
        after = text[token.end() : token.end() + 24]
        if not after.strip(" .!\n") and _is_far_secret(value, kind, linked=True, after=after):
            return token.start(), token.start() + len(value)
    return None


def _value_for(text: str, end: int, stop: int, kind: Keyword) -> tuple[int, int] | None:
    if (found := _NAMED.match(text, end, stop)) is None:
        return None
    words, value = found[1].casefold().split(), found[2].rstrip(".!?)]}*:")
    told = (words[0] in FOR_WORDS and len(words) > 1) or words[0].startswith("d'") or SERVICE_WORDS.intersection(words)
    if not told or words[-1] in _NO_LAST_WORD or not _is_far_secret(value, kind, linked=True, after=""):
        return None
    return found.start(2), found.start(2) + len(value)


def _far_value(text: str, start: int, end: int, kind: Keyword) -> Iterator[tuple[int, int]]:
    """The first value of the clause that looks like a secret, whatever words stand between it and the keyword."""
    if kind == "phrase" or _COMPOUND.match(text, end):
        return
    if named := _named_value(text, start, end, kind):
        yield named
        return
    clause = _CLAUSE.match(text, end, min(len(text), end + _REACH))
    stop = clause.end() if clause else end
    changed = bool(_CHANGED.search(text, max(0, start - 40), stop))
    english = bool(_ENGLISH.match(text[start:end].casefold()))  # "to" and "on" are copulas of other languages
    at = text.rfind(" ", 0, end) + 1  # the keyword itself may stand right before the value
    while found := _FAR_VALUE.search(text, max(at, start), stop):
        before = found["before"].casefold()
        linked = (before in COPULAS and not (english and before in ("to", "on"))) or (changed and before in INTO)
        linked = linked or before.endswith((":", "=", "—", "–")) or before == "-"
        value = found["quoted"] or found["token"].rstrip(".!?)]}*:").lstrip("([*")
        begin = found.start("quoted") if found["quoted"] else found.start("token") + found["token"].find(value)
        # "пин-код моей карты 4471".  In English "pin" is a verb, too.
        last = kind == "code" and not text[begin + len(value) : stop].strip(" .!?") and not text[start:end].isascii()
        after = text[begin + len(value) : begin + len(value) + 24]
        if value and _is_far_secret(value, kind, linked=linked or last, after=after):
            yield begin, begin + len(value)
            return
        at = found.end("before") + 1


def _is_far_secret(value: str, kind: Keyword, *, linked: bool, after: str) -> bool:
    """Stricter than beside a keyword: digits among letters, or a number where one is expected."""
    if _PLACEHOLDER.match(value) or value.lower() in ORDINARY or _MEASURE.match(after) or _DATE.match(value):
        return False
    if kind == "code":
        return linked and value.isdecimal() and 4 <= len(value) <= 8
    digits, letters = sum(letter.isdigit() for letter in value), sum(letter.isalpha() for letter in value)
    if kind == "key":
        return _is_dense(value) and len(value) >= 12 and digits >= 2 and not set(value) & set("/()@")
    if digits == 0 or letters < 3 or len(value) < 6 or set(value) & set("/()@"):
        return linked and digits >= 5 and value.isdecimal() and len(value) <= 12
    return linked or any(sign in value[1:-1] for sign in "#!$%&*+_?^~=")


def _bare(text: str, start: int, end: int, stop: int, kind: Keyword) -> "re.Match[str] | None":
    if kind == "phrase":
        return _SPACE_QUOTED.match(text, end, stop)
    if kind == "password" and (beside := next((m for p in _BESIDE_PASSWORD if (m := p.match(text, end, stop))), None)):
        return beside
    if kind == "password" and (corrected := _CORRECTED.match(text, end, stop)):
        return corrected
    if kind in ("code", "key") or _CHANGED.search(text, max(0, start - 40), start):
        return _BARE.match(text, end, stop)
    return None


def _value(text: str, at: int, kind: Keyword, *, explicit: bool) -> Iterator[tuple[int, int]]:
    if block := _BLOCK.match(text, at):
        yield block.start(1) + len(block[1]) - len(block[1].lstrip()), block.start(1) + len(block[1].rstrip())
        return
    if kind == "password" and (braced := _BRACED.match(text, at)):
        yield braced.span(1)
        return
    if quoted := _QUOTED.match(text, at):
        if quoted[0][0] in "\"'`" and quoted[0][-1] != quoted[0][0]:
            quoted = re.compile(rf"{quoted[0][0]}([^\n{quoted[0][0]}]{{1,200}}){quoted[0][0]}").match(text, at) or quoted
        if not _PLACEHOLDER.match(quoted[1]) and (kind != "key" or _is_dense(quoted[1])):
            yield quoted.start(1), quoted.start(1) + len(quoted[1].rstrip("\\"))
        return
    if kind in ("code", "key") and (grouped := _GROUPED_KEY.match(text, at)):
        yield grouped.span()
        return
    if kind == "phrase" and (words := _WORDS.match(text, at)):
        yield words.span()
        return
    if kind == "code" and (spaced := _SPACED_CODE.match(text, at)) and not _MEASURE.match(text, spaced.end()):
        yield spaced.span()
        yield from _same_shape(text, spaced.end(), spaced.group())
        return
    token = _TOKEN.match(text, at)
    if token is None or _EXPRESSION.match(token.group()) or _PLACEHOLDER.match(token.group()):
        return
    value = token.group().rstrip(".!?)]}*:").lstrip("([*")
    begin = token.start() + token.group().index(value) if value else at
    if value and _is_secret(value, kind, explicit=explicit, after=text[begin + len(value) : begin + len(value) + 24]):
        yield begin, begin + len(value)
        if kind == "code":
            yield from _same_shape(text, begin + len(value), value)


def _same_shape(text: str, at: int, value: str) -> Iterator[tuple[int, int]]:
    """Further codes of a list: as long as the first one, with a digit."""
    next_code = _NEXT_PAIR if " " in value else _NEXT_CODE
    while (more := next_code.match(text, at)) and len(more[1]) == len(value) and any(letter.isdigit() for letter in more[1]):
        yield more.span(1)
        at = more.end()


def _around_keyword(text: str) -> Iterator[tuple[int, int]]:
    """Values before their keyword, after a correction, and in pairs of login and password."""
    for match in _BEFORE_KEYWORD.finditer(text):
        yield match.span(1)
    for match in _AS_PASSWORD.finditer(text):
        if _is_far_secret(match[1], "password", linked=True, after=""):
            yield match.span(1)
    for match in _IS_PASSWORD.finditer(text):
        if _is_far_secret(match[1], "password", linked=True, after="") and not _COMPOUND.match(text, match.end()):
            yield match.span(1)
    for match in _USER_PASS.finditer(text):
        if _is_far_secret(match[1], "password", linked=True, after=""):
            yield match.span(1)
    for match in _PAIR.finditer(text):
        if _is_secret(match[1], "password", explicit=False, after=" a") and not _PLACEHOLDER.match(match[1]):
            yield match.span(1)
    for match in _ANSWER.finditer(text):
        yield match.span(1)
    for match in _SAFE_NEARBY.finditer(text):
        yield match.span(1 if match[1] else 2)


def _table_columns(text: str) -> Iterator[tuple[int, int]]:
    """Cells of a Markdown table below a header that names a secret."""
    if "|" not in text:
        return
    columns: list[int] = []
    at, former = 0, ""
    for line in text.splitlines(keepends=True):
        cells = line.split("|")
        if set(line.strip()) <= set("|-: ") and "--" in line:
            columns = [
                place for place, name in enumerate(former.split("|")) if KEYWORDS.fullmatch(name.strip().strip("*`").lower())
            ]
        elif len(cells) < 2:
            columns = []
        else:
            for place in columns:
                if place < len(cells) and cells[place].strip() and not _PLACEHOLDER.match(cells[place].strip()):
                    start = at + sum(len(cell) + 1 for cell in cells[:place])
                    value = cells[place].rstrip()
                    yield start + len(value) - len(value.lstrip()), start + len(value)
        at, former = at + len(line), line


def _is_secret(value: str, kind: Keyword, *, explicit: bool, after: str) -> bool:
    if _PLACEHOLDER.match(value) or value.lower() in ORDINARY or _MEASURE.match(after):
        return False
    if value[0].isdecimal() and _MEASURE.match(value.lstrip("0123456789")):
        return False
    if _DATE.match(value) and (kind != "code" or "-" not in value):
        return False
    digits = sum(letter.isdigit() for letter in value)
    if kind == "code":
        upper = digits > 0 and len(value) >= 5 and value == value.upper() and any(letter.isalpha() for letter in value)
        return (3 <= digits <= 12 or (explicit and upper)) and len(value) <= 16
    if kind == "key":
        return _is_dense(value)
    if len(value) < 3:
        return False
    plain = value.isalpha() and value[1:] == value[1:].lower()
    if not plain:
        return digits > 0 or any(not letter.isalnum() for letter in value.strip("-")) or value[1:] != value[1:].lower()
    # A plain word: a password after a colon, or at the end of a clause ("my password is sunshine.").
    return explicit or _SPELLING.match(after) is not None or not re.match(r"\s{1,3}\w", after)


def _is_dense(value: str) -> bool:
    """Whether a value looks generated: long, with digits among letters."""
    digits = sum(letter.isdigit() for letter in value)
    letters = sum(letter.isalpha() for letter in value)
    mixed = len(value) >= 6 and digits > 0 and letters > 0 and not _DATE.match(value)
    return mixed or (len(value) >= 20 and " " not in value)
