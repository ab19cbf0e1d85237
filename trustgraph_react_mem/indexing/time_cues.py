"""Times and numbers: whether a question asks for one, and whether a record contains one.

These are columns of the ranking, computed for every record, so they are lookups and not the grammar of the other modules.
"""

import re

from .function_words import NUMBER_WORDS, TIME_WORDS

_WHEN = re.compile(
    r"\bwhen\b|\bhow long\b|\b(?:what|which) (?:date|year|month|day|time|week)\b|\bin which\b"
    r"|\bhow many (?:years|months|weeks|days)\b"
    r"|\bwann\b|\bwie lange\b|\bseit wann\b|\bwelche[mnrs]? (?:jahr|monat|tag|datum)\b|\bquand\b|\bcombien de temps\b"
    r"|\bquel(?:le)? (?:jour|mois|année|date)\b|\bcuándo\b|\bcuánto tiempo\b|\bqué (?:día|mes|año|fecha)\b"
    r"|\bquando\b|\bquanto tempo\b|\bwanneer\b|\bhoe lang\b|\bkiedy\b|\bjak długo\b|\bкогда\b|\bкак долго\b"
    r"|언제|며칠|몇 [년월일]"
    r"|いつ|何[年月日時]|何曜日|什么时候|何时|几[月号点]|哪[年天]|多久",
    re.IGNORECASE,
)
_TIME_SIGNS = re.compile(
    r"\b(?:(?:19|20)\d\d|\d{1,2}:\d\d|\d{1,2}(?:st|nd|rd|th))\b|\bthis morning\b|\bvor kurzem\b|\baujourd'hui\b|\bil y a\b"
    r"|昨日|今日|明日|先週|来週|先月|来月|去年|今年|来年|\d[年月日]|昨天|今天|明天|上周|下周|上个月|下个月|明年"
    r"|어제|오늘|내일|그저께|지난주|다음 ?주|지난달|작년|올해|내년|요일",
    re.IGNORECASE,
)
_LOOSE_WORD = re.compile(r"[^\W\d_]+")
_HOW_MANY = re.compile(
    r"\bhow (?:many|much|often|old|far|tall|big)\b|\bwhat (?:number|age|price)\b|\bwie (?:viele?|oft|alt|weit|groß|teuer)\b"
    r"|\bquant[iaeo]s?\b|\bhoeveel\b|\bile\b|\bilu\b|\bсколько\b|몇|얼마"
    r"|\bcombien\b|\bquel âge\b|\bcuánt[oa]s?\b|いくつ|いくら|何[人個回歳枚本匹]|几[个次岁只]|多少|多大",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"[\d一二三四五六七八九十百]")


def asks_number(question: str) -> bool:
    return _HOW_MANY.search(question) is not None


def contains_number(text: str) -> bool:
    """Whether a text contains a digit or a number word.  Articles that also mean "one" do not count."""
    return _FIGURE.search(text) is not None or not NUMBER_WORDS.isdisjoint(_LOOSE_WORD.findall(text.lower()))


def asks_when(question: str) -> bool:
    return _WHEN.search(question) is not None


def mentions_time(text: str) -> bool:
    # Single words are looked up in a set: a pattern with two hundred alternatives takes ten times as long for every record.
    return not TIME_WORDS.isdisjoint(_LOOSE_WORD.findall(text.lower())) or _TIME_SIGNS.search(text) is not None
