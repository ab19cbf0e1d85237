"""What a question takes for granted: "Did I tell you that my son starts school in May?" states that he does.

Such a question has a clause of its own after "that" and the like, and no question word before it: "What did I say that my son
likes?" asks for what the clause lacks.  English also leaves out "that", and remembers scenes: "Remember when we missed it?".
A clause that is too short to state anything does not count: "Do you think that helps?"
"""

import re

_LEAST, _LEAST_NAMED = 3, 5  # words of a clause; of one that may only name something: "Did I tell you my mother's name?"
_WORD = re.compile(r"[^\W_]+")
_ASKS = re.compile(
    r"\b(?:what|where|when|who|whose|whom|which|why|how|whether|if"
    r"|was|wo|wann|wer|wen|wem|wessen|welche[rsnm]?|warum|wieso|weshalb|wie|wieviel|wohin|woher|womit|wofür|worüber|ob"
    r"|quel(?:le)?s?|qui|quoi|où|quand|pourquoi|comment|combien|si|qué|quién(?:es)?|cuál(?:es)?|dónde|adónde|cuándo|cómo"
    r"|cuánt[oa]s?|cosa|chi|quale|quali|dove|quando|perché|come|quant[oiae]|quem|qual|quais|onde|wat|waar|wanneer|welke?"
    r"|waarom|hoe|hoeveel|gdzie|kiedy|kto|kogo|któr\w+|jak\w*|dlaczego|ile|где|когда|кто|кого|как\w*|почему|зачем|сколько"
    r"|куда|откуда|чей|ли)\b|^\W*(?:que|qu'\w+|co|что|cosa|che)\b",
    re.IGNORECASE,
)
_SUBJECT = (
    r"(?:i|you|he|she|it|we|they|there|my|your|his|her|its|our|their|the|an?|this|these|those|some|all|every\w*|no|nobody"
    r"|i'\w+|you'\w+|he'\w+|she'\w+|it's|we'\w+|they'\w+|there's)\b"
)
_NAMED = r"(?-i:[A-ZÀ-ÞА-Я])\w+"
_THAT = re.compile(
    rf"\bthat (?={_SUBJECT}|{_NAMED})|,?\s(?:dass|daß|że|iż|что) |\b(?<!est-ce )(?:que |qu'|che |ch')"
    rf"|\bdat (?=(?:ik|jij|je|hij|zij|ze|wij|we|er|mijn|onze|ons|de|het|een)\b|{_NAMED})"
    rf"|\b(?:at|att) (?=(?:jeg|jag|han|hun|hon|vi|min|mit|mitt|mine|mina|vores|vår\w*|det|den|der)\b|{_NAMED})",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"\W*(?:(?!(?:what|where|when|who|whose|which|why|how)\b)\w+,? )?(?:(?:did|have|had|haven't|didn't) i (?:\w+ )?(?:tell"
    r"|told|mention(?:ed)?|say|said)(?: to)?"
    r"(?: (?:you|ya|u))?(?: yet)?|(?:do|did|didn't) (?:you|ya|u) (?:know|hear|realise|realize)"
    r"|you (?:do )?know|(?:can|would|could) (?:you|ya|u) believe) (?!(?:an?|any|some|the|of|about|how|one|each|more|all|good"
    r"|better)\b)",
    re.IGNORECASE,
)
_SUBJECT_ALONE = re.compile(r"(?:i|he|she|it|we|they|there)(?:'\w+)?\b", re.IGNORECASE)
_SCENE = re.compile(
    r"\W*(?:(?:do|don't) (?:you|ya|u) )?remember (?:when|how|(?:that|the) (?:time|day|night))(?: when)? ", re.IGNORECASE
)
_ASKED_SPACELESS = re.compile(
    r"什么|甚麼|哪|几|多少|怎么|为什么|谁|何|なに|なん|どこ|いつ|誰|だれ|いくら|どれ|どの|どんな|뭐|무엇|뭔|무슨|어디|언제"
    r"|누구|얼마|어느|어떤|몇"
)
_TELLS_SPACELESS = re.compile(
    r".{6,}(?:って|と|こと[はをも]?)(?:もう|前に|すでに)?(?:話し|話した|言い|言った|伝え|教え|知って|ご存[じ知]|覚えて|聞い)"
    r"|.{5,}(?:다고|라고|는 ?거|단 ?거|던 ?거|는 ?것|다는 ?걸) ?(?:내가|제가|전에)? ?(?:말|얘기|이야기|알|기억|들)"
    r"|(?:说过|告诉过|告訴過|提过|讲过|知道|记得|相信)(?:你|您)?[,，]?(?:我|我们|咱们|他|她)[^?？]{5,}"
)


def takes_for_granted(question: str) -> bool:
    """Whether a question asks whether something is known, and so says that it is so.

    >>> takes_for_granted("Did I tell you that my son Tim starts school in May?"), takes_for_granted("Did I tell you my age?")
    (True, False)
    """
    if not _ASKED_SPACELESS.search(question) and _TELLS_SPACELESS.search(question):
        return True
    scene = _SCENE.match(question)
    if scene and _SUBJECT_ALONE.match(question, scene.end()):
        return _count(question, scene.end()) >= _LEAST_NAMED
    bare = _BARE.match(question)
    if bare and not _ASKS.match(question, bare.end()):
        least = _LEAST if _SUBJECT_ALONE.match(question, bare.end()) else _LEAST_NAMED
        if _count(question, bare.end()) >= least:
            return True
    asked = _ASKS.search(question)
    before = asked.start() if asked else len(question)
    return any(that.start() < before and _count(question, that.end()) >= _LEAST for that in _THAT.finditer(question))


def _count(text: str, start: int) -> int:
    return len(_WORD.findall(text, start))
