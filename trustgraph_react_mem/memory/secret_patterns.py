"""Finds secrets: assignments and sentences that name one ("my password is ..."), and tokens of known formats.

A keyword is found first, then the text after it is read with bounded patterns, so the work is linear in the text.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal

Keyword = Literal["password", "phrase", "code", "key"]


def _one_of(alternatives: str) -> str:
    """Lines of alternatives as one pattern."""
    return "|".join(line.strip() for line in alternatives.splitlines() if line.strip())


_PASSWORDS = _one_of(
    r"""
    pass(?:word|wd|code|key)s?|passwort|kennwort|mot de passe|mdp|contraseña|contrasena|clave|senha|palavra[- ]passe
    parola d'ordine|wachtwoord|lösenord|adgangskode|kodeord|passord|salasana|hasło|heslo|şifre|sifre|parolă|parola|jelszó
    пароль|пароля|κωδικός(?: πρόσβασης)?|パスワード|密码|密碼|口令|비밀번호|암호|كلمة المرور|كلمة السر
    पासवर्ड|סיסמה|mật khẩu|pass|pwd|pw
    """
)
_PHRASES = _one_of(
    r"""
    pass[- ]?phrase|(?:seed|recovery|mnemonic|secret|backup)[- ](?:phrase|words)|mnemonic|wiederherstellungsphrase
    phrase de récupération|frase (?:semilla|de recuperación)
    """
)
_CODES = _one_of(
    r"""
    pin(?:[- ]?(?:code|nummer|number|kod|kode))?|pincode|geheimzahl|otp|tan|2fa(?: code)?
    (?:one[- ]time|verification|security|access|login|door|alarm|gate|safe|lock|entry|backup) (?:code|pin)
    (?:bestätigungs|sicherheits|zugangs|tür|alarm)code|code (?:pin|secret|d'accès|de vérification|de sécurité)
    codice (?:pin|segreto|di sicurezza|di verifica)
    código(?: (?:pin|secreto|de acceso|de verificación|de segurança|de verificação|de seguridad))?|toegangscode|tunnusluku
    kod pin|пин-?код|код (?:доступа|подтверждения)|暗証番号|認証コード|验证码|驗證碼|인증번호|الرقم السري|cvv|cvc
    """
)
_KEYS = _one_of(
    r"""
    api[ _-]?keys?|secret[ _-]?keys?|access[ _-]?keys?(?:[ _-]?id)?|private[ _-]?keys?|account[ _-]?key
    encryption[ _-]?key|license[ _-]?key|(?:access|auth|bearer|refresh|session|api|id|personal access)?[ _-]?tokens?
    client[ _-]?secrets?|secrets?|credentials?|api-schlüssel|schlüssel|clé(?: d'api| secrète)?|clave de api
    chave(?: de api| secreta)?|chiave(?: api)?|sleutel|ключ|トークン|令牌|密钥|密鑰|토큰
    """
)
_ORDINARY_WORDS = """
a an the my your his her our their its this that it in on at by to of for from with not no never always only also too very
so as if wrong right incorrect correct invalid valid expired weak strong secret safe secure unsafe lost forgotten stolen
leaked known unknown stored saved kept written hidden required needed necessary mandatory optional missing empty blank old
new different same changed reset updated set being going about important long short hard easy simple complex good bad great
here there where what how why when who fine ok okay yes protected encrypted hashed case-sensitive sensitive private public
shared available unavailable broken working accepted rejected denied blocked locked disabled enabled due ready done sent
under below above next near inside behind falsch richtig ungültig abgelaufen zu nicht sehr sicher unsicher schwach stark
geheim vergessen verloren gespeichert wichtig lang kurz neu alt gleich anders der die das ein eine mein dein noch schon
immer nur erforderlich nötig hier faux expiré trop pas très sûr faible fort oublié perdu nouveau le la un une mon ma
enregistré obligatoire nécessaire incorrecta incorrecto muy segura débil fuerte olvidada guardada nueva nuevo el una mi
obligatoria necesaria sbagliata scaduta molto non sicura debole forte dimenticata nuova il lo mia obbligatoria errada
expirada muito não fraca esquecida nova o uma minha obrigatória verkeerd verlopen niet erg veilig zwak sterk vergeten nieuw
het een mijn verplicht fel felaktigt inte mycket säkert svagt glömt nytt ett mitt forkert ikke feil väärä nie złe zapomniane
не неверный слабый забыт
"""
_KEYWORDS = re.compile(rf"(?i)(?P<phrase>{_PHRASES})|(?P<code>{_CODES})|(?P<key>{_KEYS})|(?P<password>{_PASSWORDS})")

_REACH = 160  # characters after a keyword in which its value begins
_NAME_END = re.compile(r"(?:_[A-Za-z0-9_]{1,40}|[A-Z][a-z]{1,20})?+(?:\[\w{0,20}\])?")
_CLOSING = r"[\"'`»”\]*]{0,2}+"
_ABOUT = (
    r"(?:\s{0,3}\([^()\n]{1,40}\))?"
    r"(?:\s{1,3}(?:for|to|of|on|at|für|zum|zur|von|vom|im|beim|pour|de|du|des|del|della|di|do|da|dos|para|voor|van|til|för|dla|"
    r"для|от|к)\b[^\n:=.!?]{1,50}?)??"
)
_ASSIGNED = re.compile(_CLOSING + _ABOUT + r"\s{0,3}(?::=|=>|->|→|[:=：]|[–—]|-(?=\s))\s{0,3}")
_ADVERB = (
    r"(?:now|still|currently|always|simply|just|jetzt|nun|noch|weiterhin|maintenant|ahora|adesso|ora|agora|nu|nå|teraz|теперь)"
)
_VERB = (
    r"(?:has been changed to|have been changed to|was changed to|is set to|was set to|set to|changed to|will be|should be|is|"
    r"was|are|"
    r"were|being|to|ist|war|lautet|lautete|wäre|est|était|sera|es|era|será|è|é|foi|is|är|var|er|on|oli|to|je|byl|est[eé]|"
    r"a fost|είναι|"
    r"это|был|była?|है|هي|هو|là)"
)
_STATED = re.compile(
    _CLOSING + _ABOUT + rf"\s{{1,3}}(?:{_ADVERB}\s{{1,3}})?{_VERB}(?:\s{{1,3}}{_ADVERB})?\s{{0,3}}:?\s{{1,3}}", re.IGNORECASE
)
_CHANGED = re.compile(r"(?i)(?:changed|reset|set|updated|geändert|changé|cambiado|cambié|cambiato|alterei|mudei)")
_JOINED = re.compile(r"\s{0,3}(?:は|が|是|为|為|改成|는|은|이|가)\s{0,3}[:：]?\s{0,3}")
_BARE = re.compile(r"\s{1,3}(?=\S{0,40}\d)")  # "api key X1", "PIN 4821"

_QUOTED = re.compile(r"[\"'`“„«‘]+([^\"'`”“»’\n]{2,200})[\"'`”“»’]")
_TOKEN = re.compile(r"[^\s\"'`,;，、。”»<>]{2,200}")
_WORDS = re.compile(r"(?:[^\W\d_]{2,20}[ ,-]{1,2}){3,30}[^\W\d_]{2,20}")
_PLACEHOLDER = re.compile(
    r"(?i)^(?:[*x•.…-]{2,}|[<\[{$%].*|null|none|nil|true|false|undefined|string|str|int|text|n/?a|tbd|todo|\(.*)$"
)
_MEASURE = re.compile(
    r"(?i)\s{0,2}(?:characters?|chars?|digits?|letters?|zeichen|stellen|stellig|caract|caratteri|tekens|символ|%|times|days?|"
    r"years?|hours?|"
    r"minutes?|months?|tage|jahre|jours|ans|días|años|文字|桁|位)"
)
_DATE = re.compile(r"^(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}:\d{2})$")
_ORDINARY = frozenset(_ORDINARY_WORDS.split())

# Formats that detect-secrets does not know, or whose patterns there are not linear.
_FORMATS = re.compile(
    r"(?P<block>-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)"
    r"|(?<![A-Za-z0-9_-])(?P<token>eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{4,}+(?:\.[A-Za-z0-9_-]*+)?"
    r"|sk-[A-Za-z0-9_-]{20,}+|hf_[A-Za-z0-9]{30,}+|AIza[0-9A-Za-z_-]{35}|GOCSPX-[\w-]{20,}+|ya29\.[\w-]{20,}+|"
    r"github_pat_\w{22,}+"
    r"|gl[a-z]{2,6}-[\w-]{20,}+|xox[a-z]-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{10,}+|whsec_[A-Za-z0-9+/=]{16,}+|[sr]k_(?:live|"
    r"test)_\w{16,}+"
    r"|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|do[opr]_v1_[a-f0-9]{64}|xkeysib-[a-f0-9]{32,}+\S{0,20}|glsa_\w{32,}+|"
    r"dckr_pat_[\w-]{20,}+"
    r"|AGE-SECRET-KEY-1[A-Z0-9]{50,}+|ATATT[\w-]{50,}+=?\w*|lin_api_\w{32,}+|PMAK-[a-f0-9-]{50,}+|dapi[a-f0-9]{32}|"
    r"hv[sb]\.[\w-]{20,}+"
    r"|tskey-[\w-]{16,}+|npm_[A-Za-z0-9]{36}|pypi-[\w-]{40,}+|EAA[A-Za-z0-9]{60,}+|rk_live_\w{20,}+|nvapi-[\w-]{40,}+|"
    r"gsk_\w{40,}+"
    r"|key-[0-9a-f]{32}|[0-9a-f]{32}-us\d{1,2}|[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}+|\d{8,10}:[\w-]{35}(?![\w-])|"
    r"0x[0-9a-fA-F]{64}(?!\w))"
    r"|(?:discord(?:app)?\.com/api/webhooks/|hooks\.slack\.com/services/)(?P<path>[\w/-]{10,}+)"
    r"|(?i:authorization\"?\s{0,2}[:=]\s{0,2}\"?(?:basic|bearer|token|digest|apikey)\s{1,3})(?P<header>[^\s\"',;]{6,}+)"
    r"|(?i:\bbearer\s{1,3})(?P<bearer>[A-Za-z0-9._~+/-]{16,}+=*)"
    r"|(?<=://)(?P<login>[^\s:/@]{0,64}+:[^\s/@]{1,128}+)(?=@)"
    r"|\b(?:curl|wget|http)\b[^\n]{0,80}?\s(?:-u|--user)[ =]?(?P<user>[^\s:]{1,64}:[^\s]{2,64})"
    r"|\b(?:mysql|mysqldump|mariadb|sshpass)\b[^\n]{0,60}?\s-p ?(?P<option>[^\s-][^\s]{2,64})"
)
_WIF = re.compile(r"(?<![1-9A-HJ-NP-Za-km-z])[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}(?![1-9A-HJ-NP-Za-km-z])")
_RUN = re.compile(r"[A-Za-z0-9_./+=:~-]{16,512}+")  # where a token may be: the patterns of detect-secrets see no more at once


def find_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Spans of secrets in a visible text, in no particular order, perhaps overlapping."""
    for match in _KEYWORDS.finditer(text):
        yield from _after_keyword(text, match)
    for match in _FORMATS.finditer(text):
        group = match.lastgroup or "token"
        yield (match.start(), _end_of_block(text, match.end())) if group == "block" else match.span(group)
    for match in _WIF.finditer(text):
        if any(letter.isdigit() for letter in match.group()[1:]):
            yield match.span()
    yield from _known_formats(text)


def _after_keyword(text: str, match: re.Match[str]) -> Iterator[tuple[int, int]]:
    start, end = match.span()
    if start and text[start].isascii() and text[start - 1].isalpha():
        camel_case = text[start].isupper() and text[start - 1].islower()
        if not camel_case:
            return
    kind: Keyword = match.lastgroup  # type: ignore[assignment]
    end = _NAME_END.match(text, end).end()  # type: ignore[union-attr]
    if end < len(text) and text[end].isalnum() and text[end].isascii():
        return
    stop = min(len(text), end + _REACH)
    assigned = _ASSIGNED.match(text, end, stop)
    link = assigned or _STATED.match(text, end, stop) or _JOINED.match(text, end, stop) or _bare(text, start, end, stop, kind)
    if link is None:
        return
    yield from _value(text, link.end(), kind, explicit=assigned is not None or link.re is _JOINED)


def _bare(text: str, start: int, end: int, stop: int, kind: Keyword) -> "re.Match[str] | None":
    if kind in ("code", "key") or _CHANGED.search(text, max(0, start - 40), start):
        return _BARE.match(text, end, stop)
    return None


def _value(text: str, at: int, kind: Keyword, *, explicit: bool) -> Iterator[tuple[int, int]]:
    if quoted := _QUOTED.match(text, at):
        if not _PLACEHOLDER.match(quoted[1]) and (kind != "key" or _is_dense(quoted[1])):
            yield quoted.span(1)
        return
    if kind == "phrase" and (words := _WORDS.match(text, at)):
        yield words.span()
        return
    token = _TOKEN.match(text, at)
    if token is None:
        return
    value = token.group().rstrip(".!?)]}*:").lstrip("([*")
    begin = token.start() + token.group().index(value) if value else at
    if value and _is_secret(value, kind, explicit=explicit, after=text[begin + len(value) : begin + len(value) + 24]):
        yield begin, begin + len(value)


def _is_secret(value: str, kind: Keyword, *, explicit: bool, after: str) -> bool:
    if _PLACEHOLDER.match(value) or value.lower() in _ORDINARY or _MEASURE.match(after) or _DATE.match(value):
        return False
    digits = sum(letter.isdigit() for letter in value)
    if kind == "code":
        return 3 <= digits <= 12 and len(value) <= 16
    if kind == "key":
        return _is_dense(value)
    if len(value) < 3:
        return False
    plain = value.isalpha() and value[1:] == value[1:].lower()
    if not plain:
        return digits > 0 or any(not letter.isalnum() for letter in value.strip("-")) or value[1:] != value[1:].lower()
    # A plain word: a password after a colon, or at the end of a clause ("my password is sunshine.").
    return explicit or not re.match(r"\s{1,3}[^\W\d_]", after)


def _is_dense(value: str) -> bool:
    """Whether a value looks generated: long, with digits among letters."""
    digits = sum(letter.isdigit() for letter in value)
    letters = sum(letter.isalpha() for letter in value)
    mixed = len(value) >= 6 and digits > 0 and letters > 0 and not _DATE.match(value)
    return mixed or (len(value) >= 20 and " " not in value)


def _end_of_block(text: str, at: int) -> int:
    end = text.find("-----END", at)
    close = text.find("-----", end + 8) if end >= 0 else -1
    return close + 5 if close >= 0 else len(text)


def _known_formats(text: str) -> Iterator[tuple[int, int]]:
    for run in _RUN.finditer(text):
        piece = run.group()
        if piece.isalpha() and (piece.islower() or piece[1:].islower()):
            continue
        for pattern in _known_patterns():
            for match in pattern.finditer(piece):
                if match.end() - match.start() >= 8:
                    yield run.start() + match.start(), run.start() + match.end()


@lru_cache(maxsize=1)
def _known_patterns() -> tuple[re.Pattern[str], ...]:
    """The patterns of detect-secrets for tokens of known services (offline, no verification requests)."""
    from detect_secrets.plugins import (
        aws,
        azure_storage_key,
        github_token,
        mailchimp,
        openai,
        sendgrid,
        slack,
        square_oauth,
        stripe,
        twilio,
    )

    detectors: tuple[Any, ...] = (
        aws.AWSKeyDetector(),
        azure_storage_key.AzureStorageKeyDetector(),
        github_token.GitHubTokenDetector(),
        mailchimp.MailchimpDetector(),
        openai.OpenAIDetector(),
        sendgrid.SendGridDetector(),
        slack.SlackDetector(),
        square_oauth.SquareOAuthDetector(),
        stripe.StripeDetector(),
        twilio.TwilioKeyDetector(),
    )
    return tuple(pattern for detector in detectors for pattern in detector.denylist)
