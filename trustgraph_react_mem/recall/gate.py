"""Decides whether a question needs recall at all.  Source: semantic router memory, section 5.

A wrong skip loses an answer, while a wrong search costs milliseconds.  Therefore only messages that match a known form as a
whole are skipped: greetings and small talk, world facts without anything personal, and questions for a tool (the time, a sum).
A message with a personal word ("my", "we", "you") is always searched, unless it is a greeting.
"""

import re
from dataclasses import dataclass
from typing import Literal

Reason = Literal["search", "off", "empty", "greeting", "world-fact", "tool"]
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
# The lookbehinds exclude French inversion ("est-il"), which means no person, and "capitale du", which is not the German "du".
_PERSONAL = re.compile(
    r"(?<!-)(?<!capitale )(?<!monnaie )(?<!population )\b"
    r"(?:i|i'm|i've|me|my|mine|we|us|our|ours|you|your|he|him|his|she|her|hers|they|them|their"
    r"|last|again|remember|said|told"
    r"|ich|mir|mich|mein\w*|wir|uns|unser\w*|du|dir|dich|dein\w*|er|sie|ihr\w*"
    r"|je|j'|moi|mon|ma|mes|nous|notre|nos|tu|te|toi|ton|ta|tes|vous|votre|vos|il|elle|son|sa|ses"
    r"|yo|mí|mi|mis|nosotros|nuestr\w+|tú|tu|tus|él|ella|su|sus)\b|私|僕|彼|あなた|我|你|他|她",
    re.IGNORECASE,
)
_WORLD = _whole(
    r"(?:what(?:'s| is| was)|tell me|name) (?:the )?(?:capital(?: city)?|population|currency|official language"
    r"|chemical symbol|boiling point|melting point|atomic number|atomic weight|square root|area|national anthem) of [\w\s'-]+"
    r"|(?:what (?:does the word|is the meaning of the word)|define)\s+[\"'“]?[\w-]+[\"'”]?(?: mean)?"
    r"|how (?:many|much) (?:\w+ ){1,2}are (?:there )?in (?:a|an|one) \w+|how far (?:away )?is the (?:moon|sun)"
    r"|who (?:wrote|composed) [\"“'‘][^\"”]+[\"”'’]"
    r"|was ist die (?:hauptstadt|währung|einwohnerzahl) von [\w\s-]+|wie viele einwohner hat [\w\s-]+"
    r"|quelle est la (?:capitale|monnaie|population) (?:de |du |de la |d'|des )[\w\s-]+"
    r"|cuál es la (?:capital|moneda|población) de [\w\s-]+|¿cuál es la (?:capital|moneda|población) de [\w\s-]+"
    r"|[\w]+の首都は(?:どこですか|どこ)?|[\w]+的首都是(?:哪里|什么|哪个城市)"
)
# Possessives and definite places: "the population of Anna's village", "the area of the garden".
_PARTICULAR = re.compile(
    r"(?<!\bwhat)(?<!\bWhat)'s\b"
    r"|\bvon (?:der|dem|den|diese[mrn]) "
    r"|\b(?:of|de|d') ?(?:the|this|that|these|those|an?|la|le|les|las|los|este|esta) [a-zß-öø-ÿ]"
)
_TOOL = _whole(
    r"what(?:'s| is) the (?:time|date|current time|current date)(?: (?:now|today|right now))?"
    r"|what (?:time|day) is it(?: (?:now|today))?"
    r"|what(?:'s| is) the weather(?: like)?(?: (?:in|for) [\w\s-]+)?(?: (?:today|tomorrow|now))?"
    r"|(?:what(?:'s| is)|calculate|compute|rechne|berechne|was ist|calcule|combien font|cuánto es|calcula)"
    r"\s+[\d\s.,+*/x×÷^()%-]+"
    r"|[\d\s.,+*/×÷^()%-]*\d\s*[+*/×÷^-]\s*[\d\s.,+*/×÷^()%=-]+"
    r"|convert \d[\d.,]* ?[\w°]+ (?:to|into) [\w°]+"
    r"|wie spät ist es(?: jetzt)?|wie viel uhr ist es|wie ist das wetter(?: (?:heute|morgen))?(?: in [\w\s-]+)?"
    r"|quelle heure est-il|quel temps fait-il(?: (?:aujourd'hui|à [\w\s-]+))?"
    r"|qué hora es|qué tiempo hace(?: (?:hoy|en [\w\s-]+))?"
    r"|今何時(?:ですか)?|(?:今日の)?天気は(?:どう(?:ですか)?)?|现在几点(?:了)?|(?:今天)?天气怎么样"
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
    if _PERSONAL.search(text):
        return GateDecision(search=True, reason="search")
    if _WORLD.fullmatch(text) and not _PARTICULAR.search(text):
        return GateDecision(search=False, reason="world-fact")
    if _TOOL.fullmatch(text):
        return GateDecision(search=False, reason="tool")
    return GateDecision(search=True, reason="search")
