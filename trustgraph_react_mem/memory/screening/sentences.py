"""Finds secrets that stand before their keyword, beside a user name, or in an answer to a question."""

import re
from collections.abc import Iterator

from .values import PLACEHOLDER, is_far_secret, is_secret

_BEFORE_KEYWORD = re.compile(
    r"(?<![\w-])((?:[A-Z]{1,3}-)?\d[\d -]{1,10}\d)(?= is\b[^\n.]{0,40}?\b(?i:one[- ]time|verif\w*|security code|"
    r"confirm\w* code|your [\w'’.& -]{1,30}?code|combination (?:of|to|for)\b[^\n.]{0,16}?\b(?:safe|vault)|"
    r"(?:safe|vault)(?:'s)? (?:combination|code)|login|log-in|sign[- ]in|passcode|otp|pin\b|tan\b|2fa|access code))"
)
_PAIR = re.compile(
    r"(?i)\b(?:log-?ins?|cred(?:ential)?s|wi-?fi|wlan|ssid|hotspot|account)(?: (?:is|are))?"
    r"\s{0,2}:?\s{1,3}[^\s:/]{2,60}\s{0,2}[:/]\s{0,2}([^\s/,;][^\s,;]{4,60})"
)
_ANSWER = re.compile(r"(?i)security question[^\n]{1,100}?answer(?: is)?[ :=-]{1,4}([^\n,.;!?]{2,80})")
_THE_SAFE = r"(?:the|my|our|his|her|their|your) (?:[a-z]{1,12} )?(?:safe|vault)\b"
_DIALLED = r"(\d{1,2}(?:(?:\s?[-/]\s?|, ?|\s)\d{1,2}){2,5}|\d{3,8})(?![\w-])"
_SAFE_NEARBY = re.compile(
    rf"(?i)\b{_THE_SAFE}[^\n.\d]{{1,40}}?\bcomb(?:ination|o)[^\n.\d]{{1,12}}{_DIALLED}|"
    rf"\bcomb(?:ination|o)[^\n.\d]{{1,12}}{_DIALLED}[^\n.\d]{{1,30}}?{_THE_SAFE}|"
    rf"(?<![\w-]){_DIALLED} (?:opens|unlocks) (?:{_THE_SAFE})"
)
# Given after a mail address: "kim@example.org // Meadow_12", "kim@example.org:Meadow_12".
_AFTER_ADDRESS = re.compile(r"@[\w.-]{3,60}\.[a-z]{2,12}(?::|\|| ?//? ?| \| )([^\s,;/]{8,64})(?![\w/])")


def find_in_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Values before their keyword, after a correction, and in pairs of login and password."""
    for match in _BEFORE_KEYWORD.finditer(text):
        yield match.span(1)
    for match in _AFTER_ADDRESS.finditer(text):
        if is_far_secret(match[1].rstrip(".!?"), "password", linked=True, after=""):
            yield match.span(1)
    for match in _PAIR.finditer(text):
        if is_secret(match[1], "password", explicit=False, after=" a") and not PLACEHOLDER.match(match[1]):
            yield match.span(1)
    for match in _ANSWER.finditer(text):
        yield match.span(1)
    for match in _SAFE_NEARBY.finditer(text):
        yield match.span(match.lastindex or 0)
