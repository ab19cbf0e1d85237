"""Words after which a secret may follow, and words that are none themselves.

Sentences are read in English.  In other languages a secret is found where the word names a field: "Passwort: ...".
"""

import re


def _one_of(alternatives: str) -> str:
    """Lines of alternatives as one pattern."""
    return "|".join(line.strip() for line in alternatives.splitlines() if line.strip())


_PASSWORDS = _one_of(
    r"""
    passwort|kennwort|mot de passe|contraseña|clave|senha|palavra-passe|wachtwoord|lösenord(?:et)?|hasło|heslo|şifre
    пароль|パスワード|密码|비밀번호
    p[ .]a[ .]s[ .]s[ .]w[ .]o[ .]r[ .]d|p[a@4][s$5]{2}w[o0]rds?|pass(?:word|wd|code|key)s?
    (?:bind|root|user)pw|passw|pswd|psw|pword|psk|requirepass|masterauth
    wi-?fi[ -]?code|code (?:to|for) (?:the )?(?:wi-?fi|wlan)|pass|pwd|p/w|pw
    """
)
_PHRASES = _one_of(
    r"""
    pass[- ]?phrase|mother's maiden name|(?:security|secret) answer
    (?:seed|recovery|mnemonic|secret|backup)[- ](?:phrase|words)|mnemonic
    """
)
# Codes of safes are secrets.  Those of doors and alarms are kept, because people ask for them.
_CODES = _one_of(
    r"""
    (?:safe|vault|strong ?box)(?:'?s)? (?:combination|combo|code|dial)
    (?:combination|combo|code|dial)s? (?:of|to|for|on) (?:[a-z']{1,12} ){1,4}(?:safe|vault|strong ?box)
    (?:safe|vault|strong ?box) (?:opens|unlocks) (?:with|by|on|at)|(?:phone|tablet|screen) unlocks with
    pin(?:[- ]?(?:code|number))?|pincode|otp|tan|2fa(?: code)?|puk|unlock pattern|recovery(?=:)|cvv|cvc
    (?:one[- ]time|verification|confirmation|authentication|security|access|log[- ]?in|sign[- ]?in|unlock|backup
    emergency|recovery|scratch) (?:codes?|pin)
    (?:keychain|lock ?screen|sms|text|device|(?:bank|credit|debit|sim)[- ]?card) codes?
    codes? (?:of|to|for) (?:[a-z]{1,12} ){0,2}(?:bank|credit|debit|sim)[- ]?card
    """
)
_KEYS = _one_of(
    r"""
    (?:api|auth|secret|access|private|account)[ _-]?keys?(?:[ _-]?id)?
    (?:encryption|licen[cs]e|activation|product|set-?up|pre-?shared|shared|signing|subscription|master|storage|recovery
    network|wi-?fi|wlan|wpa|security|deploy)[ _.-]?keys?
    (?:access|auth|bearer|refresh|session|api|id|personal access)?[ _-]?tokens?
    client[ _-]?secrets?|secrets?|credentials?|tok|tkn|(?<=_)(?:auth|salt|pepper)
    """
)
_ORDINARY_WORDS = """
a an the my your his her our their its this that it in on at by to of for from with not no never always only also too very
so as if wrong right incorrect correct invalid valid expired weak strong secret safe secure unsafe lost forgotten stolen
leaked known unknown stored saved kept written hidden required needed necessary mandatory optional missing empty blank old
new different same changed reset updated set being going about important long short hard easy simple complex good bad great
here there where what how why when who fine ok okay yes protected encrypted hashed case-sensitive sensitive private public
shared available unavailable broken working accepted rejected denied blocked locked disabled enabled due ready done sent
under below above next near inside behind
base64 base32 sha1 sha256 sha512 md5 oauth2 utf-8 utf8 x509 rsa2048 aes256 ed25519 argon2 bcrypt
"""
KEYWORDS = re.compile(rf"(?P<phrase>{_PHRASES})|(?P<code>{_CODES})|(?P<key>{_KEYS})|(?P<password>{_PASSWORDS})")
ORDINARY = frozenset(_ORDINARY_WORDS.split())
_COPULA_WORDS = "is was are be it's today unchanged now still currently again always remains stays"
COPULAS = frozenset(_COPULA_WORDS.split())
#: What stands before one of these may be the secret.
AS_WORDS = frozenset({"as", "become", "becomes", "became", "that's"})
#: A secret was changed to another.
INTO = frozenset({"to", "into"})
#: What follows a keyword and says what the secret is for: "password for my mail ...".
FOR_WORDS = frozenset({"for", "to", "of", "on", "at", "from"})
# Names stand after these, not secrets.
_NAMED_WORDS = """
user users username account login server host node version release model room page chapter ticket order flight article issue
build step device product
"""
# Of whose password is usually spoken, without a preposition.
_SERVICE_WORDS = """
wifi wi-fi wlan vpn mail email e-mail gmail outlook icloud netflix spotify amazon paypal ebay steam facebook instagram telegram
bank banking router laptop computer server
"""
NAMED_WORDS = frozenset(_NAMED_WORDS.split())
SERVICE_WORDS = frozenset(_SERVICE_WORDS.split())
# Who forgot a secret does not tell it.
WITHOUT_VALUE = re.compile(r"(?i)forg[eo]t|\blost\b|\breset")
