"""Recognises questions about several memories: lists, counts, summaries, orders of events, what was said over time.

"In which order did I visit the museums?", "Summarise how the project went", "Nenne alle Bücher, die ich gelesen habe".  Such a
question needs more places than one about a single thing, and its memories are shown in the order of time.  Sources: common
wordings of eleven languages.
"""

import re

LONGEST = 400  # characters
_SEVERAL = re.compile(
    # Lists and counts
    r"\b(?:list|name|enumerate|collect|gather|compare) (?:me )?(?:all|every|the|my|our|each|some|\w+ ?things|different|both)\b"
    r"|\b(?:all|any|each|every one) of (?:the|my|our|his|her|their)\b|\ball (?:the|my|our|his|her|their|\w+ that|different)\b"
    r"|\bevery (?:time|place|book|film|movie|trip|thing|one|occasion)|\beverything\b"
    r"|\bhow often\b|\bhow many (?:\w+ )?(?:times|different|kinds|types)\b"
    r"|\bhow many\b.{1,80}\b(?:across|altogether|in total|so far|over the|throughout|until now)\b"
    r"|\b(?:what|which) (?:are|were) (?:all|the (?:different|various|main)|some of)\b|\bwhat else\b"
    r"|\b(?:several|various|different) (?:\w+ )?(?:aspects|things|ways|topics|kinds|types|places|times|occasions|features)\b"
    # Summaries, order, course of time
    r"|\bsumm?ar(?:y|ies|i[sz]e[ds]?|i[sz]ing)\b|\bsum up\b|\b(?:recap|overview|timeline|chronolog\w+)\b"
    r"|\bin (?:what|which) (?:order|sequence)\b|\b(?:order|sequence) (?:in which|of (?:the |my |our )?\w+)\b|\bin order\b"
    r"|\bwalk me through\b|\bstep by step\b|\bfrom (?:first|start|beginning|oldest) to\b"
    r"|\b(?:history|course|evolution|development|progress) of (?:the|my|our|his|her|their)\b"
    r"|\bover (?:time|the (?:years|months|weeks))\b"
    r"|\b(?:across|throughout|in all) (?:my|our|all|the|these) (?:\w+ )?"
    r"(?:conversations?|sessions?|chats?|messages?|discussions?|talks)\b"
    # German
    r"|\b(?:liste|zähle?|nenne?|sammle) (?:mir )?(?:bitte )?(?:alle[sn]?|sämtliche|meine|die)\b|\balle (?:meine|die|unsere)\b"
    r"|\bwie oft\b|\bjedes mal\b|\bfasse?\b.{1,80}\bzusammen\b|\bzusammenfass\w+|\büberblick\b|\breihenfolge\b|\bchronolog\w+"
    r"|\bder reihe nach\b|\bverlauf\b|\bim laufe?\b"
    # French, Spanish, Italian, Portuguese
    r"|\b(?:tou(?:s|tes) (?:les|mes|nos)|combien de fois|chaque fois|résum\w+|dans quel ordre|chronolog\w+|au fil)\b"
    r"|\b(?:tod[oa]s (?:l[oa]s|mis)|cuántas veces|cada vez|resum\w+|en qué orden|cronol\w+|a lo largo)\b"
    r"|\b(?:tutt[ie] (?:i|le|gli)|quante volte|ogni volta|riassum\w+|riassunto|in che ordine|in quale ordine|nel corso)\b"
    r"|\b(?:tod[oa]s (?:os|as)|quantas vezes|em que ordem|em qual ordem|ao longo)\b"
    # Dutch, Polish, Russian
    r"|\b(?:alle (?:mijn|de|onze)|hoe vaak|elke keer|vat .{1,80} samen|samenvat\w+|in welke volgorde|verloop)\b"
    r"|\b(?:wszystkie|ile razy|za każdym razem|podsum\w+|w jakiej kolejności|chronolog\w+)\b"
    r"|\b(?:все (?:мои|наши|книги|места|раз\w*)|сколько раз|каждый раз|подытож\w+|в каком порядке|хронолог\w+|перечисли\w*)\b"
    # Chinese, Japanese
    r"|所有|每次|多少次|几次|总结|概括|列出|顺序|先后|すべて|全て|全部|何回|毎回|まとめて|要約|順番|時系列|一覧",
    re.IGNORECASE,
)
# Beginnings of words of which each wording above has one.  The search for all wordings takes a millisecond.
_WORDS = """
    list name enumerat collect gather compare all any each every often many else main some several various different sum recap
    overview timeline chronolog order sequence walk step first start beginning oldest history course evolution development
    progress time years months weeks conversation session chat message discussion talk
    zähl nenn samml oft mal fass zusammen überblick reihe verlauf lauf jede tous toutes fois résum ordre fil todos todas veces
    vez resum orden cronol largo tutt volt riassun ordin corso vezes ordem longo vaak keer vat samen volgorde verloop wszystk
    raz podsum kolejno все раз подытож порядк хронолог перечисл
"""
_BEGINNINGS = tuple(_WORDS.split())
_WORD = re.compile(r"[^\W\d_]+")
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def asks_for_several(question: str) -> bool:
    """Whether a question is about several memories.

    >>> asks_for_several("In which order did I visit the museums?")
    True
    >>> asks_for_several("Which museum did I visit first?")
    False
    """
    text = question[:LONGEST]
    words = _WORD.findall(text.lower())
    if not any(word.startswith(_BEGINNINGS) for word in words) and not _SPACELESS.search(text):
        return False
    return _SEVERAL.search(text) is not None
