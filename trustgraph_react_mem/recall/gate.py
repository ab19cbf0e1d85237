"""Decides whether a question needs recall at all.  Source: semantic router memory, section 5.

A wrong skip loses an answer, while a wrong search costs milliseconds.  Therefore only messages that match a known form as a
whole are skipped: greetings and small talk, the time of day, and plain sums.  Questions about the world are searched: their
words ("the capital", "churn", "the area of Building 7") may have a meaning of their own in somebody's memory.
"""

import re
from dataclasses import dataclass
from typing import Literal

Reason = Literal["search", "off", "empty", "greeting", "tool"]
LONGEST = 160  # characters; greetings are short


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """``search`` False: the question needs no recall, for ``reason``."""

    search: bool
    reason: Reason


_GREETING_WORDS = """
    hi hello hey howdy hiya yo greetings thanks thank thx ty cheers bye goodbye ciao ok okay sure yes no yep nope cool great
    nice perfect awesome welcome please sorry lol haha
    hallo moin servus danke dankeschön tschüss tschüs ja nein gut prima super klasse okey bitte
    salut bonjour bonsoir merci oui non coucou parfait
    hola gracias adiós adios sí vale buenas perfecto genial
    こんにちは こんばんは おはよう おはようございます ありがとう ありがとうございます さようなら はい いいえ どうも
    你好 您好 谢谢 再见 早上好 晚上好 好的 是的 嗨
"""
_GREETING_PHRASES = """
    good morning | good afternoon | good evening | good night | thank you | thanks a lot | many thanks | see
    you | see you later | take care | have a (?:nice|good|great) (?:day|one|weekend|evening) | how
    are you(?: doing)?(?: today)? | how is it going | how's it going | what's up | nice to meet you | you're
    welcome | never mind | got it | sounds good | all good | there | so much | very much | a lot | again |
    everyone | all | then | later | my friend | guten (?:morgen|tag|abend) | gute nacht | vielen dank |
    danke schön | auf wiedersehen | bis (?:bald|später|dann|morgen) | wie geht(?:'s| es dir| es
    ihnen)? | alles klar | schönen tag noch | sehr | merci beaucoup | au revoir | à bientôt | à plus(?: tard)?
    | bonne (?:journée|soirée|nuit) | ça va | comment (?:ça va|vas-tu|allez-vous) | d'accord | buenos
    días | buenas (?:tardes|noches) | muchas gracias | hasta (?:luego|pronto|mañana) | qué tal | cómo
    estás | de acuerdo | de nada | お元気ですか | またね | 元気 | 你好吗 | 非常感谢 | 晚安 | 回头见
"""
_PARTS = "|".join([*map(re.escape, _GREETING_WORDS.split()), *" ".join(_GREETING_PHRASES.split()).split(" | ")])


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{pattern})\W*", re.IGNORECASE)


_GREETING = _whole(rf"(?:{_PARTS})(?:\W+(?:{_PARTS}))*")
# Only operators that no date ("12/5", "2024-05-03") and no telephone number has, unless they stand between spaces.
_NUMBER = r"\(*[+-]?\d[\d.,]*\)*"
_OPERATOR = r"(?:\s*[+*x×÷^]\s*|\s+[-/]\s+)"
_SUM = rf"{_NUMBER}(?:{_OPERATOR}{_NUMBER})+\s*=?"
_TOOL = _whole(
    r"what(?:'s| is) the (?:time|date|current time|current date)(?: (?:now|today|right now))?"
    r"|what (?:time|day) is it(?: (?:now|today))?"
    rf"|(?:(?:what(?:'s| is)|was ist|combien font|cuánto es)\s+)?{_SUM}"
    rf"|(?:calculate|compute|rechne|berechne|calcule|calcula)\s+{_NUMBER}(?:\s*[+*x×÷^/-]\s*{_NUMBER})+\s*=?"
    r"|wie spät ist es(?: jetzt)?|wie viel uhr ist es|quelle heure est-il|qué hora es|今何時(?:ですか)?|现在几点(?:了)?"
)


def gate(question: str) -> GateDecision:
    """Skip a question only if it matches a known form as a whole."""
    text = " ".join(question.replace("’", "'").split())
    if not any(character.isalnum() for character in text):
        return GateDecision(search=False, reason="empty")
    if len(text) > LONGEST:
        return GateDecision(search=True, reason="search")
    if _GREETING.fullmatch(text):
        return GateDecision(search=False, reason="greeting")
    if _TOOL.fullmatch(text):
        return GateDecision(search=False, reason="tool")
    return GateDecision(search=True, reason="search")
