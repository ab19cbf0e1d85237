"""Data policy: find personal data and secrets before a text is stored, and keep, redact, hash or drop them.

Secrets are found by the patterns of detect-secrets (offline, no verification requests) and by patterns for passwords in
conversation.  Telephone numbers are found by phonenumbers.  Card numbers and IBANs are verified by their check digits.
A finding never contains the text that was found.
"""

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

PersonalData = Literal["keep", "redact", "hash", "drop"]
Secrets = Literal["redact", "drop"]

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.)+[^\W\d_]{2,24}(?!\w)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_CARD = re.compile(r"(?<![\d-])\d(?:[ -]?\d){12,18}(?![\d-])")
_SOCIAL_SECURITY = re.compile(r"(?<![\d-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])")
_IP = re.compile(r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.]|\d)")
_REGIONS = ("US", "GB", "DE", "FR", "ES")  # national formats; the international format is always recognised

# "my password is ...", "Passwort: ...", "la contraseña es ...", "mot de passe : ..."
_SPOKEN_SECRET = re.compile(
    r"(?i)\b(?:pass(?:word|phrase|code)|pwd|pin(?: code)?|passwort|kennwort|contraseña|senha|mot de passe|wachtwoord|lösenord"
    r"|пароль|api[ _-]?key|secret[ _-]?key|access[ _-]?token|auth(?:orization)?[ _-]?token|client[ _-]?secret)\b"
    r"(?:\s+(?:for|to|of|für|para|pour|do|da|de)\s+[\w .'-]{1,40}?)?\s*(?:is|was|ist|lautet|es|est|é|=|:|：|are)\s*"
    r"(?P<quote>[\"'`“]?)(?P<secret>[^\s\"'`”]{4,200})"
)
_MORE_SECRETS = (
    re.compile(r"\bsk-[A-Za-z0-9_-]{20,}"),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"),
    re.compile(r"(?i)\bbearer\s+[A-Za-z0-9._~+/-]{16,}=*"),
    re.compile(r"\bhf_[A-Za-z0-9]{30,}"),
    re.compile(r"(?<=://)[^\s:/@]+:[^\s:/@]+(?=@)"),
    re.compile(r"\bAIza[0-9A-Za-z_-]{35}"),
)
_ORDINARY = re.compile(r"[^\W\d_]+[.,;!?]?$")  # "my password is wrong": a plain lower-case word is not a password


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveSpan:
    """``text[start:end]`` is sensitive.  ``secret``: a secret, otherwise personal data."""

    kind: str
    start: int
    end: int
    secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """A text after the policy was applied.

    ``dropped``: the text must not be stored, and ``text`` is empty.  ``found``: number of findings by kind.
    """

    text: str
    dropped: bool = False
    found: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPolicy:
    """What to do with personal data and with secrets.  ``salt`` makes hashes of different scopes differ."""

    personal_data: PersonalData = "keep"
    secrets: Secrets = "redact"
    salt: str = ""

    def screen(self, text: str) -> Screened:
        """Apply the policy to a text.

        >>> DataPolicy(personal_data="redact").screen("write to ann@example.org").text
        'write to [email]'
        """
        found = [item for item in find_sensitive(text) if item.secret or self.personal_data != "keep"]
        if not found:
            return Screened(text=text)
        counts = Counter(item.kind for item in found)
        if any((self.secrets if item.secret else self.personal_data) == "drop" for item in found):
            return Screened(text="", dropped=True, found=counts)
        parts, at = [], 0
        for item in found:
            parts += [text[at : item.start], self._replacement(item, text[item.start : item.end])]
            at = item.end
        return Screened(text="".join([*parts, text[at:]]), found=counts)

    def _replacement(self, item: SensitiveSpan, found: str) -> str:
        if not item.secret and self.personal_data == "hash":
            digest = hmac.new(self.salt.encode(), found.casefold().encode(), hashlib.sha256).hexdigest()[:10]
            return f"[{item.kind} {digest}]"
        return f"[{item.kind}]"


def find_sensitive(text: str) -> list[SensitiveSpan]:
    """Personal data and secrets in text order, without overlaps.  A secret takes precedence over personal data."""
    chosen: list[SensitiveSpan] = []
    for item in sorted([*_secrets(text), *_personal(text)], key=lambda f: (not f.secret, -(f.end - f.start))):
        if all(item.end <= other.start or item.start >= other.end for other in chosen):
            chosen.append(item)
    return sorted(chosen, key=lambda f: f.start)


def _secrets(text: str) -> Iterator[SensitiveSpan]:
    for match in _SPOKEN_SECRET.finditer(text):
        said = match["secret"].rstrip(".,;!?")
        if match["quote"] or not _ORDINARY.match(said) or said != said.lower():
            start = match.start("secret")
            yield SensitiveSpan(kind="secret", start=start, end=start + len(said), secret=True)
    for pattern in (*_MORE_SECRETS, *_known_secret_patterns()):
        for match in pattern.finditer(text):
            if match.end() - match.start() >= 8:
                yield SensitiveSpan(kind="secret", start=match.start(), end=match.end(), secret=True)


def _personal(text: str) -> Iterator[SensitiveSpan]:
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield SensitiveSpan(kind="email", start=match.start(), end=match.end())
    if not any(c.isdigit() for c in text):
        return
    for match in _IBAN.finditer(text):
        if _valid_iban(match.group()):
            yield SensitiveSpan(kind="iban", start=match.start(), end=match.end())
    for match in _CARD.finditer(text):
        if _valid_luhn(match.group()):
            yield SensitiveSpan(kind="card", start=match.start(), end=match.end())
    for match in _SOCIAL_SECURITY.finditer(text):
        yield SensitiveSpan(kind="social-security", start=match.start(), end=match.end())
    for match in _IP.finditer(text):
        yield SensitiveSpan(kind="ip", start=match.start(), end=match.end())
    yield from _telephones(text)


def _telephones(text: str) -> Iterator[SensitiveSpan]:
    if sum(c.isdigit() for c in text) < 7:
        return
    import phonenumbers  # 5 MB of metadata: loaded only when a text with enough digits is seen

    for region in _REGIONS:
        for match in phonenumbers.PhoneNumberMatcher(text, region):
            yield SensitiveSpan(kind="telephone", start=match.start, end=match.end)


@lru_cache(maxsize=1)
def _known_secret_patterns() -> tuple[re.Pattern[str], ...]:
    """Patterns of secrets with a recognisable format (cloud keys, tokens of known services)."""
    from detect_secrets.plugins import (
        aws,
        azure_storage_key,
        discord,
        github_token,
        gitlab_token,
        jwt,
        mailchimp,
        npm,
        openai,
        pypi_token,
        sendgrid,
        slack,
        square_oauth,
        stripe,
        telegram_token,
        twilio,
    )

    detectors: tuple[Any, ...] = (
        aws.AWSKeyDetector(),
        azure_storage_key.AzureStorageKeyDetector(),
        discord.DiscordBotTokenDetector(),
        github_token.GitHubTokenDetector(),
        gitlab_token.GitLabTokenDetector(),
        jwt.JwtTokenDetector(),
        mailchimp.MailchimpDetector(),
        npm.NpmDetector(),
        openai.OpenAIDetector(),
        pypi_token.PypiTokenDetector(),
        sendgrid.SendGridDetector(),
        slack.SlackDetector(),
        square_oauth.SquareOAuthDetector(),
        stripe.StripeDetector(),
        telegram_token.TelegramBotTokenDetector(),
        twilio.TwilioKeyDetector(),
    )
    return tuple(pattern for detector in detectors for pattern in detector.denylist)


def _valid_luhn(written: str) -> bool:
    digits = [int(c) for c in written if c.isdigit()]
    doubled = [d if i % 2 == 0 else (d * 2 - 9 if d > 4 else d * 2) for i, d in enumerate(reversed(digits))]
    return len(set(digits)) > 1 and sum(doubled) % 10 == 0


def _valid_iban(written: str) -> bool:
    plain = written.replace(" ", "")
    return 15 <= len(plain) <= 34 and int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1
