"""Finds secrets: assignments and sentences that name one ("my password is ..."), and tokens of known formats.

A keyword is found first, then the text after it is read with bounded patterns, so the work is linear in the text.
"""

import re
from collections.abc import Iterator
from itertools import accumulate

from .formats import find_formats, find_in_commands
from .random_runs import find_random_runs
from .values import (
    AS_WORDS,
    COMPOUND,
    COPULAS,
    FOR_WORDS,
    INTO,
    KEYWORDS,
    MEASURE,
    NAMED_WORDS,
    ORDINARY,
    PLACEHOLDER,
    SERVICE_WORDS,
    WITHOUT_VALUE,
    Keyword,
    is_dense,
    is_far_secret,
    is_secret,
)

_REACH = 160  # characters after a keyword in which its value begins
_NAME_END = re.compile(r"(?:_[A-Za-z0-9_]{1,40}|[A-Z][a-z]{1,20})?+(?:\[\w{0,20}\])?")
# Names of what belongs to a secret and is none: "password_reset_url".
_OTHER_NAME = re.compile(
    r"(?i)_(?:ur[li]|link|path|file(?:name)?|dir|endpoint|host|port|ttl|expir\w+|timeout|(?:min_|max_)?length|policy|enabled|"
    r"required|type|field|label|count|limit|issuer|audience|algorithm|identity|state|status|ids?|hint|prompt|manager|vault_name)$"
)
_CLOSING = r"\\{0,3}+[\"'`»”\]*]{0,2}+"
_ABOUT = r"(?:\s{0,3}\([^()\n]{1,40}\))?(?:\s{1,3}(?:for|to|of|on|at)\b[^\n:=.!?]{1,50}?)??"
_ASSIGNED = re.compile(
    _CLOSING + _ABOUT + r"\s{0,3}(?::=|=>|->|→|[:=：]|[–—]|-(?=\s))\s{0,3}\*{0,2}\s{0,3}\\{0,3}"
    r"(?:!!?\w{1,20}\s{1,3})?"  # a tag of YAML
    r"(?:[&'\w.<>\[\]?]{1,30}\s{0,2}=\s{1,3})?"  # a type: "key: String = ..."
)
_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?[ \t]{0,3}\n((?:[ \t]{1,16}+[^\n]{1,400}+(?:\n|$)){1,60}+)")  # of YAML: indented lines
_BRACED = re.compile(r"\{([^{}\s\"']{3,80})\}(?=;)")  # Password={...}; of ODBC
_BESIDE_NAME = re.compile(r"[\"']?,?\s{1,3}[\"']?value[\"']?\s{0,3}[:=]\s{0,3}")  # name="ApiSecret" value="..."
_IN_TAG = re.compile(r"(?:[\"']?\s[^<>\n]{1,80}|[\"'])?>\s{0,3}(?=[^\s<>])")  # <password>..., <property name="db.password">...
_ADVERB = r"(?:now|still|currently|always|simply|just)"
_VERB = (
    r"(?:has been changed to|have been changed to|was changed to|is set to|was set to|set to|changed to|will be|should be|"
    r"is|was|are|were|being|to)"
)
_STATED = re.compile(
    _CLOSING + _ABOUT + rf"\s{{1,3}}(?:{_ADVERB}\s{{1,3}})?{_VERB}(?:\s{{1,3}}{_ADVERB})?\s{{0,3}}:?\s{{1,3}}|['’]s\s{{1,3}}",
    re.IGNORECASE,
)
_LEAST_GLUED = 5  # letters of a keyword that may follow other letters: "DBPASSWORD=", "dbpassword:", "mytoken="
_MIXED = re.compile(
    r"\s{1,3}(?=[^\s\"'`,;()<>]{0,30}[^\W\d_])(?=[^\s\"'`,;()<>]{0,30}\d)(?=[^\s\"'`,;()<>]{5,})"
)  # "pw kalimba44"
_SPACED_CODE = re.compile(
    r"[*#]?\d{1,4}(?:(?: ?[-/] ?| )\d{1,4}){1,5}[*#]?(?![\w.,/-]*\d)|\d{1,2}(?:, ?\d{1,2}){2,5}(?![\w,]*\d)|"
    r"\d{1,4} ?(?:key|[KkB]) ?\d{2,6}(?!\w)"
)
_GROUPED_KEY = re.compile(r"[A-Za-z2-7]{4}(?:[ -][A-Za-z2-7]{4}){3,12}(?!\w)")
_NEXT_CODE = re.compile(r"\s{0,2}(?:[,;/|]|\n|\s(?:and\s)?)\s{0,2}(?:(?:[-*•]|\d{1,2}[.)]):?\s)?([\w-]{4,16})")
_LIST_MARK = re.compile(r"(?:[-*•]|\d{1,2}[.)]):?\s{1,3}(?=\S)")
_FIRST_OF_LIST = re.compile(r"\s{0,3}\n\s{0,4}(?=(?:[-*•]|\d{1,2}[.)])\s{1,3}[\w-]{4,16})")
_NEXT_PAIR = re.compile(r"\s{0,2}[,;/|\n]\s{0,2}(?:-\s)?(\d{2,6}(?: \d{2,6}){1,3})(?![\w.]*\d)")
_EXPRESSION = re.compile(
    r"[A-Za-z_$][\w$]{0,40}(?:\.[A-Za-z_$][\w$]{0,40}){0,6}[(\[]|(?:self|this|os|process|config|settings|env|req|"
    r"request|args|opts|"
    r"options|params|ctx|form|data|body|user)\.[a-z]|(?:await|raise|return|yield|throw|new|required|optional)$",
    re.IGNORECASE,
)
_CHANGED = re.compile(r"(?i)changed|reset|\bset\b|updated")
_USED_AS = re.compile(r"(?i)\bas (?:[^\W\d_]{2,8} ){0,2}$")  # "as my password I took ..."
_CLAUSE = re.compile(r"[^\n]{0,90}?(?=[.!?;。！？](?:\s|$)|\n|$)")
_FAR_VALUE = re.compile(
    r"(?<!\S)(?P<before>[^\s\"`„“«]{1,24})[ \u00a0]{1,2}(?:the )?"
    r"(?:[\"'`„“«](?P<quoted>[^\n\"'`”“»]{3,80})[\"'`”“»]|(?P<token>[^\s\"'`,;，。<>]{4,80}))"
)
_BARE = re.compile(r"\s{1,3}(?=\S{0,40}\d)")  # "api key X1", "PIN 4821"
_NUMBER = re.compile(r"\s{1,3}(?=\d{4,12}(?![\w/:%°-]|[.,]\d))(?!(?:19|20)\d\d\s{0,3}[^\s.,;!?)])")  # "passcode 4821", no year
_QUOTED_BARE = re.compile(r"\s{1,3}(?=([\"'`])[^\s\"'`]{0,60}\d[^\s\"'`]{0,60}\1)")  # the password 'kettle8'
_EMPTY = re.compile(r"([\"'`])(?:\1(?!\1)| )")  # no value between quotes, or the end of a text that a program prints
_SPACE_QUOTED = re.compile(r"\s{1,3}(?=[\"'`“„«])")
# After the name of a user, a plain word may be a password: "user kim, password meadow".
_USER_BEFORE = re.compile(
    r"(?i)(?:\w@[\w.-]{3,60}\.[a-z]{2,12}|\b(?:user(?: ?name)?|login)\b(?: is)?[\s:=]{1,3}[^\s,;]{2,60})"
    r"(?:\s{0,2}[,;/]|\s)\s{0,3}(?:(?:and|with) )?(?:(?:the|a) )?$"
)
_BEFORE_END = re.compile(r"\s{1,3}(?=[^\s,;:.]{4,64}[.!]?\s{0,3}(?:$|[\n,;]))")
_BESIDE_PASSWORD = (_MIXED, _NUMBER, _QUOTED_BARE)
_ASKED = re.compile(
    r"[^\n?？]{0,50}[?？]{1,3}\s{1,3}(?:[^\W\d_]{1,12}: |(?i:try|use|take|it'?s) )?"
)  # "wifi password? kalimba44"
_LETTERS = re.compile(r"[^\W\d_]{2,24}(?![\w-])")
_NO_LAST_WORD = ORDINARY | FOR_WORDS | NAMED_WORDS  # before a value
_WORD = r"(?:[^\W\d_]|['’-]){1,24}"
_NAMED = re.compile(
    rf"((?:\s{{1,3}}{_WORD}){{1,4}})\s{{1,3}}([^\s\"'`,;，。<>()]{{4,64}})(?=[\"'`,;!?]?(?:\s{{0,3}}$|\s{{0,3}}\n|[.,;!?]\s|\s[–—-]\s))"
)  # "password for my mail kalimba44", at the end of a clause

_CANDIDATE = re.compile(
    r"(?<![^\s\"'`(«„“「])(?=[^\s\"'`,;:]{0,40}\d)[^\s\"'`,;:()«»„“”]{5,64}(?<![.!?])"
    r"(?=(?:,? ?(?:that'?s|that is))?[^\n,;:.!?]{0,80}$)"
)
_NO_LINK = FOR_WORDS | {"without"}
_BEFORE, _MOST_BETWEEN = 100, 6  # characters before a keyword, and words between, among which its value stands
_HEADER = {sign: re.compile(rf"(?:[\"\w .-]{{1,30}}{sign}){{1,20}}+[\"\w .-]{{1,30}}\s*$") for sign in ",\t;"}
_FAR_TOKEN = re.compile(r"[^\s\"'`,;，。<>]{4,80}")
_QUOTED = re.compile(r"[\"'`“„«‘「『]+([^\"'`”“»’」』\n]{2,200})[\"'`”“»’」』]")
_TOKEN = re.compile(r"[^\s\"'`,;，、。”»<>]{2,200}")
_LOGIN = re.compile(
    r"(?i)\b(?:log-?ins?|cred(?:ential)?s|wi-?fi|wlan|ssid|hotspot|account)(?: (?:is|are))?"
    r"\s{0,2}:?\s{1,3}[^\s:/]{2,60}\s{0,2}[:/]\s{0,2}([^\s/,;][^\s,;]{4,60})"
)
_AFTER_ADDRESS = re.compile(r"@[\w.-]{3,60}\.[a-z]{2,12}(?::|\|| ?//? ?| \| )([^\s,;/]{8,64})(?![\w/])")
_WORDS = re.compile(r"(?:[^\W\d_]{2,20}[ ,-]{1,2}){3,30}[^\W\d_]{2,20}")


def find_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Spans of secrets in a visible text, in no particular order, perhaps overlapping."""
    for match in KEYWORDS.finditer(_lower(text)):
        yield from _after_keyword(text, match)
    yield from _after_login(text)
    yield from _table_columns(text)
    yield from find_formats(text)
    yield from find_in_commands(text)
    yield from find_random_runs(text)


def _after_login(text: str) -> Iterator[tuple[int, int]]:
    """Passwords beside a name: "creds are admin:...", "kim@example.org // ..."."""
    for match in _AFTER_ADDRESS.finditer(text):
        if is_far_secret(match[1].rstrip(".!?"), "password", linked=True, after=""):
            yield match.span(1)
    logins = (match for match in _LOGIN.finditer(text) if is_secret(match[1], "password", explicit=False, after=" a"))
    yield from (match.span(1) for match in logins)


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
    named = end
    end = _NAME_END.match(text, end).end()  # type: ignore[union-attr]
    if (end < len(text) and text[end].isalnum() and text[end].isascii()) or _OTHER_NAME.search(text, named, end):
        return
    stop = min(len(text), end + _REACH)
    assigned = _ASSIGNED.match(text, end, stop) or _BESIDE_NAME.match(text, end, stop)
    if assigned is None and text.rfind("<", max(0, start - 80), start) > text.rfind(">", max(0, start - 80), start):
        assigned = _IN_TAG.match(text, end, stop)
    standing = not start or not (text[start - 1].isalnum() or text[start - 1] == "_")
    if assigned is None and standing and text[start:end].casefold() == "pass" and not _after_user(text, start):
        # also of a mountain, and a verb
        yield from _far_value(text, start, end, kind)
        return
    link = assigned or _STATED.match(text, end, stop) or _bare(text, start, end, stop, kind)
    if link is None or (glued and assigned is None and text[start].islower() and end - start < _LEAST_GLUED):
        yield from _far_value(text, start, end, kind)
        return
    if assigned and assigned.group().rstrip()[-1:] in "=>" and _hands_on(text, assigned.end()):
        return
    found = list(_value(text, link.end(), kind, explicit=assigned is not None or link.re is _BEFORE_END))
    yield from found if found or assigned else _far_value(text, start, end, kind)


def _after_user(text: str, start: int) -> bool:
    return _USER_BEFORE.search(text, max(0, start - 60), start) is not None


def _hands_on(text: str, at: int) -> bool:
    """Whether the value is a keyword itself: password=password in code, <label for="pwd">Password</label>."""
    word = _LETTERS.match(text, at)
    return word is not None and KEYWORDS.fullmatch(word.group().lower()) is not None


def _value_before(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The secret that stands before a keyword: "I use X as my password", "X will be the new password"."""
    if COMPOUND.match(text, end) or text[end : end + 1] == "-":
        return
    for found in reversed(list(_CANDIDATE.finditer(text, max(0, start - _BEFORE), start))):
        words = text[found.end() : start].casefold().split()
        link = next((place for place, word in enumerate(words) if word in AS_WORDS or word in COPULAS or word in "—–-"), None)
        if link is None or len(words) > _MOST_BETWEEN or _NO_LINK.intersection(words[link + 1 :]):
            continue
        if is_far_secret(found.group(), "password", linked=True, after=""):
            yield found.span()
        return


def _named_value(text: str, start: int, end: int, kind: Keyword) -> Iterator[tuple[int, int]]:
    """The secret after a question for it, or after a few words that say what it is for, at the end of a clause."""
    stop = min(len(text), end + _REACH)
    if WITHOUT_VALUE.search(text, max(0, start - 60), stop):
        return
    if (asked := _ASKED.match(text, end, stop)) and (token := _FAR_TOKEN.match(text, asked.end())):
        value, after = token.group().rstrip(".!"), text[token.end() : token.end() + 24]
        if not after.strip(" .!\n") and is_far_secret(value, kind, linked=True, after=after):
            yield token.start(), token.start() + len(value)
            return
    if found := _NAMED.match(text, end, stop):
        words, value = found[1].casefold().split(), found[2].rstrip(".!?)]}*:")
        told = (words[0] in FOR_WORDS and len(words) > 1) or SERVICE_WORDS.intersection(words)
        if told and words[-1] not in _NO_LAST_WORD and is_far_secret(value, kind, linked=True, after=""):
            yield found.start(2), found.start(2) + len(value)


def _far_value(text: str, start: int, end: int, kind: Keyword) -> Iterator[tuple[int, int]]:
    """The first value of the clause that looks like a secret, whatever words stand between it and the keyword."""
    if COMPOUND.match(text, end):
        return
    if kind in ("password", "phrase") and (told := list(_value_before(text, start, end))):
        yield from told
        return
    if kind == "phrase":
        return
    if told := list(_named_value(text, start, end, kind)):
        yield from told
        return
    clause = _CLAUSE.match(text, end, min(len(text), end + _REACH))
    stop = clause.end() if clause else end
    changed = bool(_CHANGED.search(text, max(0, start - 40), stop))
    used_as = kind == "password" and bool(_USED_AS.search(text, max(0, start - 24), start))
    at = text.rfind(" ", 0, end) + 1  # the keyword itself may stand right before the value
    while found := _FAR_VALUE.search(text, max(at, start), stop):
        before = found["before"].casefold()
        linked = used_as or before in COPULAS or (changed and before in INTO) or before[-1] in ":=—–" or before == "-"
        value = found["quoted"] or found["token"].rstrip(".!?)]}*:").lstrip("([*")
        begin = found.start("quoted") if found["quoted"] else found.start("token") + found["token"].find(value)
        after = text[begin + len(value) : begin + len(value) + 24]
        if value and is_far_secret(value, kind, linked=linked, after=after):
            yield begin, begin + len(value)
            return
        at = found.end("before") + 1


def _bare(text: str, start: int, end: int, stop: int, kind: Keyword) -> "re.Match[str] | None":
    if kind == "code" and (first := _FIRST_OF_LIST.match(text, end, stop)):
        return first
    if kind == "phrase":
        return _SPACE_QUOTED.match(text, end, stop)
    if kind == "password" and _after_user(text, start):
        return _BEFORE_END.match(text, end, stop) or _MIXED.match(text, end, stop)
    if kind == "password" and (beside := next((m for p in _BESIDE_PASSWORD if (m := p.match(text, end, stop))), None)):
        return beside
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
    if _EMPTY.match(text, at):
        return
    if quoted := _QUOTED.match(text, at):
        if quoted[0][0] in "\"'`" and quoted[0][-1] != quoted[0][0]:
            quoted = re.compile(rf"{quoted[0][0]}([^\n{quoted[0][0]}]{{1,200}}){quoted[0][0]}").match(text, at) or quoted
        if not PLACEHOLDER.match(quoted[1]) and (kind != "key" or is_dense(quoted[1])):
            yield quoted.start(1), quoted.start(1) + len(quoted[1].rstrip("\\"))
        return
    if kind == "code" and (marked := _LIST_MARK.match(text, at)):
        at = marked.end()
    if kind in ("code", "key") and (grouped := _GROUPED_KEY.match(text, at)):
        yield grouped.span()
        return
    if kind == "phrase" and (words := _WORDS.match(text, at)):
        yield words.span()
        return
    if kind == "code" and (spaced := _SPACED_CODE.match(text, at)) and not MEASURE.match(text, spaced.end()):
        yield spaced.span()
        yield from _same_shape(text, spaced.end(), spaced.group())
        return
    token = _TOKEN.match(text, at)
    if token is None or _EXPRESSION.match(token.group()) or PLACEHOLDER.match(token.group()):
        return
    value = token.group().rstrip(".!?)]}*:").lstrip("([*")
    begin = token.start() + token.group().index(value) if value else at
    if value and is_secret(value, kind, explicit=explicit, after=text[begin + len(value) : begin + len(value) + 24]):
        yield begin, begin + len(value)
        if kind == "code":
            yield from _same_shape(text, begin + len(value), value)


def _same_shape(text: str, at: int, value: str) -> Iterator[tuple[int, int]]:
    """Further codes of a list: as long as the first one, with a digit."""
    next_code = _NEXT_PAIR if " " in value else _NEXT_CODE
    while (more := next_code.match(text, at)) and len(more[1]) == len(value) and any(letter.isdigit() for letter in more[1]):
        yield more.span(1)
        at = more.end()


def _secret_columns(header: str, sign: str) -> list[int]:
    return [place for place, name in enumerate(header.split(sign)) if KEYWORDS.fullmatch(name.strip().strip('*`"').lower())]


def _table_columns(text: str) -> Iterator[tuple[int, int]]:
    """Cells below a header that names a secret, in Markdown, and in lines of values that commas or tabs separate."""
    columns: list[int] = []
    at, former, sign, count = 0, "", "|", 0
    for line in text.splitlines(keepends=True):
        cells = line.split(sign)
        if set(line.strip()) <= set("|-: ") and "--" in line:
            sign, columns = "|", _secret_columns(former, "|")
            count = 0
        elif not columns or len(cells) < 2 or (count and len(cells) != count):
            sign = next((one for one in ",\t;" if _HEADER[one].match(line)), "|")
            columns = _secret_columns(line, sign) if sign != "|" else []
            count = line.count(sign) + 1
        else:
            starts = list(accumulate((len(cell) + 1 for cell in cells), initial=at))
            for place in columns:
                if place < len(cells) and cells[place].strip() and not PLACEHOLDER.match(cells[place].strip()):
                    start = starts[place]
                    value = cells[place].rstrip()
                    yield start + len(value) - len(value.lstrip()), start + len(value)
        at, former = at + len(line), line
