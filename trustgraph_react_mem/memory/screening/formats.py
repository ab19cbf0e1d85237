"""Secrets whose form alone shows what they are: tokens of known services, keys, hashes of passwords, seed phrases, URLs."""

import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from importlib import resources

from .secret_words import FOR_WORDS, ORDINARY

_FORMATS = re.compile(
    r"(?P<block>-{4,5} ?BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)? ?-{4,5})"
    r"|(?<![A-Za-z0-9_-])(?P<token>eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{4,}+(?:\.[A-Za-z0-9_-]*+)?"
    r"|sk-[A-Za-z0-9_-]{20,}+|hf_[A-Za-z0-9]{30,}+|AIza[0-9A-Za-z_-]{35}|GOCSPX-[\w-]{20,}+|ya29\.[\w-]{20,}+|"
    r"github_pat_\w{22,}+"
    r"|gl[a-z]{2,6}-[\w-]{20,}+|xox[a-z]-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{10,}+|whsec_[A-Za-z0-9+/=]{16,}+|[sr]k_(?:live|"
    r"test)_\w{16,}+"
    r"|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|do[opr]_v1_[a-f0-9]{64}|xkeysib-[a-f0-9]{32,}+\S{0,20}|glsa_\w{32,}+|"
    r"dckr_pat_[\w-]{20,}+"
    r"|secret_[A-Za-z0-9]{40,}+|ntn_[A-Za-z0-9]{40,}+|[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,}+"
    r"|(?:[A-Z0-9]{5}-){3,6}[A-Z0-9]{5}(?![\w-])"
    r"|\$(?:apr1|1|2[abxy]?|5|6|y|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,16})\$[./A-Za-z0-9$=,+-]{20,}+"
    r"|rmem_[0-9a-f]{8}_[0-9a-f]{64}|AGE-SECRET-KEY-1[A-Z0-9]{50,}+|ATATT[\w-]{50,}+=?\w*|lin_api_\w{32,}+|PMAK-[a-f0-9-]{50,}+|dapi[a-f0-9]{32}|"
    r"hv[sb]\.[\w-]{20,}+"
    r"|tskey-[\w-]{16,}+|npm_[A-Za-z0-9]{36}|pypi-[\w-]{40,}+|EAA[A-Za-z0-9]{60,}+|rk_live_\w{20,}+|nvapi-[\w-]{40,}+|"
    r"gsk_\w{40,}+"
    r"|key-[0-9a-z]{32}|[0-9a-f]{32}-us\d{1,2}|[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}+|\d{8,10}:[\w-]{35}(?![\w-])|"
    r"0x[0-9a-fA-F]{64}(?!\w))"
    r"|(?:discord(?:app)?\.com/api/webhooks/|hooks\.slack\.com/services/|webhook\.office\.com/webhookb2/|"
    r"hooks\.zapier\.com/hooks/catch/)(?P<path>[\w/@-]{10,}+)"
    r"|(?i:authorization\\{0,3}[\"']?\s{0,2}[:=,]\s{0,2}\\{0,3}[\"']?(?:basic|bearer|token|digest|apikey)\s{1,3})"
    r"(?P<header>[^\s\"',;\\]{6,}+)"
    r"|(?i:\bbasic\s{1,3})(?P<basic>[A-Za-z0-9+/]{8,}+={0,2})(?![\w+/])"
    r"|(?i:\bidentified\s(?:with\s\w{1,40}\s)?by|\bwith(?: encrypted)? password|"
    r"\b(?:alter|create) (?:user|role|login) \S{1,64} password|\bset password(?: for \S{1,40})?)"
    r"\s{1,3}(?:= ?)?N?['\"](?P<sql>[^'\"\n]{3,80})['\"]"
    r"|(?i:\bbearer\s{1,3})(?P<bearer>[A-Za-z0-9._~+/-]{16,}+=*)"
    r"|(?i:(?<![A-Za-z0-9])(?:[a-z.]{0,12}sess(?:ion)?[_-]?(?:id|key)?|[a-z._-]{0,12}sid|(?:csrf|xsrf|auth|remember|"
    r"jwt)[\w-]{0,16})=)"
    r"(?P<cookie>[^\s;,\"'&]{12,}+)"
    r"|(?i:[?&][\w-]{0,24}(?:token|secret|signature|sig|password|passwd|pwd|code|auth|key|"
    r"ticket)=)(?P<query>[^\s&#\"'<>]{8,}+)"
    r"|(?i:(?<=[a-z0-9])[_-]?key(?:-data)?[\"']?\s{0,3}[:=]\s{0,3}[\"']?)(?P<keyed>[A-Za-z0-9+/_=.-]{20,}+)"
    r"|\bPrivate-Lines: \d{1,3}\s{1,2}(?P<putty>(?:[A-Za-z0-9+/=]{20,}+\s{0,2})+)"
    r"|(?i:\b(?:pk|priv|privkey|private|ciphertext|wallet|metamask|seed)[\"']?\s{0,2}[:=]?\s{0,2}[\"']?(?:0x)?)"
    r"(?P<hex>[0-9a-fA-F]{64})(?!\w)"
    r"|(?i:\bWIFI:[^\n]{0,80}?\bP:)(?P<wifi>[^;\s]{4,63})"
    r"|(?<=://)(?P<login>[^\s:/@]{0,64}+:[^\s/@]{1,128}+)(?=@)"
    r"|\b(?:curl|wget|https?)\b[^\n]{0,160}?\s(?:-[a-zA-Z]{0,6}u|--(?:proxy-)?user|-a|--auth)[ =]?"
    r"(?:'(?P<login1>[^\s':/]{1,64}:[^'\n]{2,64})'|\"(?P<login2>[^\s\":/]{1,64}:[^\"\n]{2,64})\"|"
    r"(?P<user>(?!https?:)[^\s:'\"]{1,64}:[^\s'\"]{2,64}))"
    r"|\baws configure set \w{1,40} (?P<aws>\S{16,}+)"
    r"|\b(?:sshpass|mongo(?:sh|dump|restore)?|(?:docker|podman|az|oc) login)\b[^\n]{0,60}?\s-p ?"
    r"(?P<option>[^\s-][^\s]{2,64})"
)
# Of AWS, Azure, GitHub, Mailchimp, SendGrid, Slack, Square, Stripe and Twilio, also within other text.  Source: detect-secrets.
_SERVICE_TOKENS = re.compile(
    r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}|AccountKey=[A-Za-z0-9+/=]{88}|gh[opsur]_[A-Za-z0-9_]{36}"
    r"|(?<![0-9a-z])[0-9a-z]{32}-us\d{1,2}|SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}|xox[abposr]-(?:\d+-)+[A-Za-z0-9]+"
    r"|sq0csp-[A-Za-z0-9_-]{43}|[rs]k_live_[0-9A-Za-z]{24}|(?:AC|SK)[a-z0-9]{32}"
)
# Prefixes of services and the shortest rest.  Source: gitleaks' rules.
_VENDOR_TOKENS = re.compile(
    r"(?<![\w.-])(?:pscale_(?:tkn|pw|oauth)_[\w=.-]{32,}+|dp\.(?:ct|pt|st|sa|scim|audit)\.\w{40,}+|sntry[su]_[\w+/=-]{40,}+"
    r"|NR(?:AK|AA|AL|JS|II|BR)-[\w-]{19,}+|f(?:m[12][a-z]?|o1)_[\w+/=,-]{30,}+|r8_\w{36,}+|pplx-\w{40,}+|fig[dou]h?_[\w-]{36,}+"
    r"|sb(?:p|_secret)_\w{30,}+|rubygems_\w{40,}+|cio[A-Za-z0-9]{32,}+|pul-[a-f0-9]{40}|\w{14}\.atlasv1\.[\w=-]{40,}+"
    r"|pat\w{14}\.[a-f0-9]{64}|(?:EZAK|EZTK)\w{50,}+|(?:duffel|shippo)_(?:live|test)_[\w=-]{36,}+|FLW(?:SEC|PUB)K[\w-]{20,}+"
    r"|ico-\w{32}|p8e-\w{32}|sq0[a-z]{3}-[\w-]{22,}+|tfp_[\w.=-]{40,}+|rdme_\w{60,}+|ops_eyJ[\w=-]{40,}+|glc_[\w+/=-]{32,}+"
    r"|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,6}-){3,4}[A-Z0-9]{5,6}|bk[a-z]{2}_\w{36,}+|sgp_\w{36,}+|phx_\w{36,}+|AKCp\w{60,}+|xa(?:i|at)-\w{40,}+"
    r"|nfp_\w{36,}+|(?:rnd|vck|e2b|jina|csk|fw|pnu|zpka|tvly|voyage|pcsk)[_-][\w-]{28,}+|lsv2_[a-z]{2}_\w{36,}+"
    r"|AT(?:BB|CTT3)[\w=-]{28,}+|CFPAT-[\w-]{40,}+|dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{60,}+|HRKU-[\w-]{30,}+|mlsn\.\w{50,}+"
    r"|re_\w{8}_\w{24,}+|sl\.[\w-]{120,}+|API-[A-Z0-9]{25,}+|oy2[a-z0-9]{43}|[12]/\d{16}(?:/\d{16})?:[0-9a-f]{32}|SWMTKN-1-[a-z0-9-]{60,}+|v2\.local\.[\w-]{60,}+)"
)
_JSON_KEY = re.compile(r"[\"'](?:d|p|q|dp|dq|qi|k)[\"']\s{0,3}:\s{0,3}[\"']([\w-]{20,}+)")
_CODED_KEY = re.compile(r"(?<!\w)(?:nsec1[02-9ac-hj-np-z]{58}|S(?=[A-Z]{0,54}[2-7])[A-Z2-7]{55})(?!\w)")  # of Nostr, of Stellar
_BYTES = re.compile(r"\[(?:\s{0,2}\d{1,3}\s{0,2},){31,127}\s{0,2}\d{1,3}\s{0,2}\]")
_OF_BYTES = re.compile(r"(?i)key|secret|wallet|id\.json|seed|solana")
_DISK_KEY = re.compile(r"(?<![\d-])\d{6}(?:[- ]\d{6}){7}(?![\d-])")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_BLOCK_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{1,40}-{4,5}")
_ENCODED_PEM = re.compile(r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,}+={0,2}")  # base64 of "-----BEGIN "
_DIRECTORY_HASH = re.compile(r"\{(?:S?SHA\d{0,3}|S?MD5|CRYPT|PBKDF2[\w-]{0,12})\}([^\s\"',;]{12,200}+)")
_LOGIN_FIELD = re.compile(r"(?i)[\"']_?auth[\"']\s{0,3}:\s{0,3}[\"']([A-Za-z0-9+/]{8,}+={0,2})[\"']")  # of Docker and npm
_CONNECTIONS = re.compile(
    r"(?:jdbc:oracle:\w{2,8}:|\b(?:sqlplus|sqlldr|rman|(?:exp|imp)(?:dp)?)\s(?:-\w{1,8}\s){0,3})[^\s/@:]{1,64}/([^\s@]{2,64}+)@"
    r"|(?m:^)[\w.*-]{1,100}+:(?:\d{4,5}|\*):[^\s:]{1,64}:[^\s:]{1,64}:((?=\S{0,60}\d)[^\s:]{4,64})(?m:$)"  # .pgpass
    r"|\bssh-keygen\b[^\n]{0,80}?\s-N ['\"]([^'\"\n]{4,80})"
    r"|\b(?:define|put|set\w{0,12}|putenv|add\w{0,8})\(\s?['\"][\w.-]{0,40}(?i:password|passwd|secret|token|key|salt)['\"],\s{0,2}"
    r"['\"]([^'\"\n]{4,80})['\"]"
    r"|\b(?:7za?|u?n?rar)\s[^\n]{0,60}?\s?-p([^\s-]\S{3,64})"
)
_WIF = re.compile(r"(?<![1-9A-HJ-NP-Za-km-z])[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}(?![1-9A-HJ-NP-Za-km-z])")
_DENSE_GROUPS = frozenset({"cookie", "query", "keyed"})  # their names occur with ordinary values, too
_BESIDE = re.compile(r"^(?:[<\[{%*].*|\$[A-Z_({].*|\.\.\..*|[xX]{3,}|string)$")  # stands for a value
_WORD_RUN = re.compile(
    r"(?<![^\W\d_])(?:\d{1,2}[.):]\s{0,2})?[A-Za-z]{3,8}(?:[ ,;\n\t.-]{1,3}(?:\d{1,2}[.):]\s{0,2})?[A-Za-z]{3,8}){11,}+"
)
# Words that are not in the list, after a word that says what they are.
_TOLD_WORDS = re.compile(
    r"(?i)(?:\bseed|mnemonic|phrase|\b(?:12|15|18|21|24) words)s?[\"']?\s{0,2}[:=]\s{0,3}[\"']?"
    r"([^\W\d_]{1,12}(?:[ ,\u3000]{1,2}[^\W\d_]{1,12}){11,}+)"
)
_WORD = re.compile(r"[A-Za-z]{3,8}")
# The secret key of 40 characters that is given after its access key: nothing in it says what it is.
_AWS_PAIR = re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b[^\n]{1,60}?(?<![A-Za-z0-9/+])([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])")
SEED_WORDS = 12  # in the shortest seed phrase
DISTINCT_WORDS = 7  # "word word word ..." is none


def find_formats(text: str) -> Iterator[tuple[int, int]]:
    """Spans of secrets of known form in a visible text, in no particular order, perhaps overlapping."""
    end = 0  # of the last private key
    for match in _FORMATS.finditer(text):
        group = match.lastgroup or "token"
        if group == "block":
            end = _end_of_block(text, match.end()) if match.start() >= end else end
            yield match.start(), end
        elif group == "basic" and not _is_login(match[group]):
            continue
        elif not _BESIDE.match(match[group]) and (group not in _DENSE_GROUPS or _is_generated(match[group])):
            yield match.span(group)
    for pattern in (_SERVICE_TOKENS, _VENDOR_TOKENS):
        yield from (match.span() for match in pattern.finditer(text))
    yield from _pieces_of_keys(text)
    for match in _DIRECTORY_HASH.finditer(text):
        yield match.span(1)
    for match in _LOGIN_FIELD.finditer(text):
        if _is_login(match[1]):
            yield match.span(1)
    for match in _CONNECTIONS.finditer(text):
        yield match.span(match.lastindex or 0)
    for match in _WIF.finditer(text):
        if any(letter.isdigit() for letter in match.group()[1:]):
            yield match.span()
    for match in _AWS_PAIR.finditer(text):
        yield match.span(1)
    yield from _checked_keys(text)
    yield from _seed_phrases(text)


def _is_generated(value: str) -> bool:
    digits = sum(letter.isdigit() for letter in value)
    return digits >= 2 and any(letter.isalpha() for letter in value) and not value.count("-") * 3 > len(value)


def _is_login(value: str) -> bool:
    """Whether it is a name and a password in base64, as in a header of HTTP."""
    try:
        return ":" in b64decode(value, validate=True).decode()
    except ValueError:
        return False


def _checked_keys(text: str) -> Iterator[tuple[int, int]]:
    """Keys in the forms of JSON, of wallets and of encrypted disks."""
    if '"kty"' in text or "'kty'" in text:
        yield from (match.span(1) for match in _JSON_KEY.finditer(text))
    yield from (match.span() for match in _CODED_KEY.finditer(text))
    for match in _BYTES.finditer(text):
        if _OF_BYTES.search(text, max(0, match.start() - 60), match.start()):
            yield match.span()
    for match in _DISK_KEY.finditer(text):
        if all(int(group) % 11 == 0 for group in re.findall(r"\d{6}", match.group())):
            yield match.span()


def _pieces_of_keys(text: str) -> Iterator[tuple[int, int]]:
    """Private keys that are encoded once more, or whose beginning was cut off."""
    for match in _ENCODED_PEM.finditer(text):
        with suppress(ValueError):
            if b"PRIVATE KEY" in b64decode(match.group()[:80]):
                yield match.span()
    at = 0
    for match in _PEM_END.finditer(text):
        start = match.start()
        while start > at and (text[start - 1] in "+/=\\" or text[start - 1].isalnum() or text[start - 1] in "\r\n"):
            start -= 1
        if start < match.start():
            yield start, match.end()
        at = match.end()


def _seed_phrases(text: str) -> Iterator[tuple[int, int]]:
    """Runs of twelve and more words of the list that wallets draw from.  Source: BIP-0039, English words."""
    for told in _TOLD_WORDS.finditer(text):
        words = told[1].casefold().replace(",", " ").split()
        if sum(word in ORDINARY or word in FOR_WORDS for word in words) * 8 < len(words):
            yield told.span(1)
    for run in _WORD_RUN.finditer(text):
        known: list[re.Match[str]] = []
        for word in (*_WORD.finditer(text, run.start(), run.end()), None):
            if word is not None and word.group().lower() in seed_words():
                known.append(word)
                continue
            if len(known) >= SEED_WORDS and len({one.group().lower() for one in known}) >= DISTINCT_WORDS:
                yield known[0].start(), known[-1].end()
            known = []


@lru_cache(maxsize=1)
def seed_words() -> frozenset[str]:
    """The 2048 words.  Ordinary sentences do not hold twelve in a row: "the", "and", "is", "of" are not among them."""
    return frozenset((resources.files(__package__) / "seed_words.txt").read_text("ascii").split())


def _end_of_block(text: str, at: int) -> int:
    end = _BLOCK_END.search(text, at)
    return end.end() if end else len(text)
