"""Finds secrets in command lines and in code, where an option or a place in a list of arguments says what they are."""

import re
from collections.abc import Iterator

from .values import PLACEHOLDER

_HELD = r"(?:'([^'\n]{3,80})'|\"([^\"\n]{3,80})\"|([^\s\"'$<|;-][^\s\"'|;]{3,63}))"  # the value of an option, perhaps quoted
# Options of one letter, by the programs that have them.
_OPTIONS = re.compile(
    r"\b(?:redis-cli\b[^\n]{0,60}?\s-a|openssl\b[^\n]{0,80}?\s-k|ldap\w{2,10}\b[^\n]{0,120}?\s-w|sshpass -p|"
    r"zip\b[^\n]{0,60}?\s-P|snmp\w{2,12}\b[^\n]{0,60}?\s-[cAX]|(?:sqlcmd|bcp|tsql|isql)\b[^\n]{0,80}?\s-P|"
    r"ipmitool\b[^\n]{0,80}?\s-P|mosquitto_\w{3}\b[^\n]{0,80}?\s-P|(?:rabbitmqctl|htpasswd|smbpasswd)\b[^\n]{0,60}?"
    r"(?:add_user|change_password|\s-\w{0,4}b\w{0,4}(?: [\w./-]{1,60})?) [\w.@-]{1,40})[ =]{0,2}" + _HELD
)
_LONG_OPTIONS = re.compile(
    r"(?i)\s(?:--?[a-z][a-z-]{0,20}?|--?)(?:pass(?:word|phrase|wd)?|pwd|pw|secret|token|auth-?key|api-?key)(?:[ =]|:(?=\S))"
    r"['\"]?(?:pass:)?([^\s\"'<$-][^\s\"']{3,80})|\s/(?:p|pass|password):([^\s\"'<$][^\s\"']{3,80})"
)
_WITH_USER = re.compile(
    r"(?i)\bnet use\b[^\n]{0,80}?\s/user:\S{1,40} ([^\s/]\S{3,63})|\bnet user \S{1,40} ([^\s/]\S{3,63})|"
    r"\b(?:smbclient|rpcclient|smbmap|mount\.cifs|net|winexe|wmic)\b[^\n]{0,80}?\s-U ?['\"]?[^\s%'\"]{1,40}%([^\s'\"]{3,63})|"
    r"\becho (?:-n )?['\"]?[\w.-]{1,32}:([^\s'\"|]{4,64})['\"]? {0,2}\| {0,2}(?:sudo )?chpasswd|"
    r"\bwpa_passphrase ['\"]?[^\s'\"]{1,32}['\"]? ['\"]?([^\s'\"]{8,63})|"
    r"\bnickserv\b[^\n]{0,12}\bidentify (?:\S{1,30} )?(\S{4,40})|"
    r"\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,60}?\s-p([^\s-]\S{2,63})|"  # "-p NAME": a database
    r"\bchpasswd {0,2}<<< {0,2}['\"]?[\w.-]{1,32}:([^\s'\"]{4,64})"
)
_PIPED = re.compile(
    r"\becho (?:-n )?[\"']?([^\s\"'|$]{4,64})[\"']? {0,2}\| {0,2}"
    r"(?:sudo -S|[^\n]{1,80}?(?:--password-stdin|-stdin\b|passwd --stdin))"
)
# The second of two strings: auth=("kim", "..."), HTTPBasicAuth('kim', '...'), PasswordCredentials("kim", "...").
_ARGUMENTS = re.compile(
    r"(?i)\b(?:\w{0,30}basic_?auth\w{0,12}|(?:\w{1,20}[._])?auth|\w{0,30}(?:credentials?|passwordauthentication)|"
    r"\w{0,12}\.(?:log_?in|sign_?in|authenticate))['\"]?\s{0,2}[=:(]\s{0,2}[(\[]?\s{0,2}"
    r"(?:\w{1,20}\s?=\s?)?[bru]?(['\"])(?!(?:basic|digest|bearer)\1)[^'\"\n]{1,64}\1\s{0,2},\s{0,3}(?:\w{1,20}\s?=\s?)?[bru]?(['\"])([^'\"\n]{3,80})\2"
)
_DECLARED = re.compile(
    r"(?m)^\s{0,12}(?:RUN |- )?(?:ENV|setenv|set -\w{1,3}|setx|ARG)\s{1,2}"
    r"\w{0,40}(?:PASS|PASSWORD|PASSWD|PWD|PSK)[ \t]{1,3}(\S{3,80})\s*?$"
)

# #define WIFI_PASSWORD "...", ConvertTo-SecureString '...'
_STRINGS = re.compile(
    r"(?i)(?:#define\s{1,3}\w{0,40}(?:pass|password|passwd|pwd|psk|secret|token|api_?key)|convertto-securestring(?: -string)?)"
    r"\s{1,8}(['\"])([^'\"\n]{3,80})\1"
)


def find_in_commands(text: str) -> Iterator[tuple[int, int]]:
    """Spans of secrets in a visible text, perhaps overlapping."""
    for pattern in (_OPTIONS, _LONG_OPTIONS, _WITH_USER, _PIPED, _ARGUMENTS, _DECLARED, _STRINGS):
        for match in pattern.finditer(text):
            group = match.lastindex or 0
            if not PLACEHOLDER.match(match[group]):
                yield match.span(group)
