"""Recognises a task for the assistant that tells nothing of the person: "Write a haiku", "Explain how tides work".

A task that speaks of the person ("Plan a dinner for my vegan sister") tells something, and so does a request to keep something.
"""

import re

LONGEST = 160  # characters; who asks for more usually tells something, too
# Forms that are also those of a statement ("Escribe libros", "Schreibe gern") need an article or a pronoun after them.
_VERBS = (
    r"(?:explain|write|tell (?:me|us)(?: about)?|give me|show me|translate|summari[sz]e|describe|define|convert|calculate"
    r"|compute|compose|generate|draft|invent|imagine|make up|brainstorm|suggest|recommend|rephrase|paraphrase|rewrite|proofread"
    r"|debug|refactor|recite|let's play|teach me|quiz me|(?:list|name) (?:all|some|the|two|three|five|ten|\d+)"
    r"|fix (?:this|the following)"
    r"|(?:erklär|schreib|erzähl|gib|zeig|übersetz|beschreib|definier|berechn|dicht|erfind|erstell|entwirf|formulier|nenn)e?"
    r"(?=[ ](?:mir|uns|mal|bitte|ein\w*|das|die|den|der|de[sm]|kurz|'|\d|\w+e \w+)(?!\w))"
    r"|(?:erklär|schreib|erzähl|zeig|übersetz|entwirf)"
    r"|expliquez?|écri(?:s|vez)|raconte(?:z|(?=-))|donnez?[ -]moi|montrez?[ -]moi|tradui(?:s|sez)|résume(?:z|(?=-))"
    r"|décri(?:s|vez)|inventez?"
    r"|rédigez?|composez?|(?:explí|descrí|trad[uú])\w+|cuénta\w*|dame"
    r"|(?:explica|escribe|escriba|resume|inventa|redacta|calcula|traduce|describe|spiega|racconta|inventa|mostra|escreva"
    r"|escreve|crie"
    r"|explique|invente)(?= (?:un\w*|el|l[ao]s?|il|lo|gli|[ao]s?|uma?|qué|cómo|che|como|por qué|in)\b)"
    r"|(?:spiega|racconta|scrivi|dimostra)(?:mi|ci)|scrivi|riassumi|traduci|descrivi|componi|dammi|conte-me|conta-me"
    r"|schrijf|vertel|vertaal|beschrijf|bereken|verzin|leg uit"
    r"|wyjaśnij|napisz|opowiedz|przetłumacz|streść|opisz|oblicz|policz|wymyśl|stwórz|ułóż|zaproponuj|porównaj"
    r"|объясни|напиши|расскажи|переведи|опиши|посчитай|вычисли|придумай|сочини|создай|составь|предложи|сравни"
    r")(?:те)?"
)
_START = re.compile(
    rf"\W*(?:(?:please|pls|plz|now|ok(?:ay)?|so|hey|and|then|(?:can|could|would|will) you(?: please)?|bitte"
    rf"|kannst du(?: bitte| mal)*|s'il te plaît|por favor|per favore|alsjeblieft|proszę|пожалуйста)\W+)*{_VERBS}(?!\w)",
    re.IGNORECASE,
)
_SPACELESS = re.compile(
    r"\W*(?:请|請|帮我|幫我)?(?:解释|解釋|写|寫|讲|講|翻译|翻譯|总结|總結|描述|介绍|介紹|列出|计算|計算|比较|編|编|推荐"
    r"|用.{1,12}写)[^，,。]{1,24}"
    r"[。.!！?？]?\s*$"
    r"|^[^、,。]{2,40}(?<!覚えて)(?<!覚えておいて)(?<!メモして)(?:して|書いて|詠んで|教えて|話して|言って|作って|訳して"
    r"|考えて|説明して|まとめて)"
    r"(?:くれ|ください|下さい|よ|ね)*[。.!！]?\s*$"
    r"|^[^,.]{2,40}(?<!기억)(?<!메모)(?:해|써|말해|알려|만들어|지어|번역해|설명해|들려)\s?(?:줘|주세요|줄래)(?:요)?[.!]?\s*$"
)
_OF_THE_PERSON = re.compile(
    r"\b(?:i(?! \w+i\b)|my|mine|we|our|ours|us|i'\w+|we'\w+|ich|mein\w*|wir|unser\w*|uns|je|j'\w+|mon|ma|mes|nous|notre|nos"
    r"|yo|mis?|nosotr\w+"
    r"|nuestr\w+|soy|tengo|estoy|io|mi[oa]|miei|mie|noi|nostr\w+|ho|posso|devo|voglio|vorrei|puedo|debo|quiero|quisiera"
    r"|necesito|quero|preciso|mogę|muszę|chcę|lubię|eu|meus?|minhas?|nós|noss\w+|ik|mijn|wij|onze|ons"
    # Of one who is not named: "¿Qué hice ayer?", "Co robiłam?", "l'adresse de chez moi"
    r"|hice|fui|estuve|tuve|dije|puse|vine|traje|quise|pude|hago|voy|vivo|trabajo|llamo|compré|comí|bebí|cené|cociné"
    r"|desayuné|leí"
    r"|escribí|hablé|llamé|visité|viajé|salí|dormí|pagué|gasté|perdí|encontré|recibí|empecé|terminé|aprendí|jugué|corrí|conté"
    r"|mencioné|dejé|guardé|aparqué|conocí|quedé|monté|llevé|celebré|prometí|decidí|vendí|pedí|olvidé"
    r"|fiz|estive|tive|vou|moro|trabalho|faço|comprei|falei|paguei|gastei|visitei|viajei|jantei|almocei|cozinhei"
    r"|escrevi|liguei|encontrei|perdi|comecei|acabei|aprendi|joguei|contei|mencionei|deixei|guardei|estacionei|conheci"
    r"|montei|levei"
    r"|prometi|decidi|esqueci"
    r"|abito|lavoro|faccio|vado|avevo|facevo|\w{2,}(?:łem|łam)"
    r"|chez moi|bei mir|zu mir|bij mij|u mnie|da me|en mi casa"
    r"|ja|mój|moj\w+|my|nasz\w*|mam|jestem|я|мо[йяеёию]\w*|мы|мне|меня|наш\w*)\b|私|僕|俺|我(?!一?下)|우리|(?<!\w)(?:나(?:는"
    r"|의|도)?|내|내가|저(?:는|의|도)?|제|제가)(?!\w)",
    re.IGNORECASE,
)


_CODE = re.compile(r"`[^`]*`")
_TO_KEEP = re.compile(
    r"\W*(?:(?:that|this|it|das|es|ça|lo|dat|to|это) (?:down|auf|ab|en note|op)|on (?:my|the) list)\b", re.IGNORECASE
)


def task_of(sentence: str) -> str:
    """What a sentence asks the assistant to make or explain; "" if it asks nothing of the kind.

    >>> task_of("Please write a haiku about rain."), task_of("It rains.")
    (' a haiku about rain.', '')
    """
    if len(sentence) > LONGEST:
        return ""
    if begun := _START.match(sentence):
        return "" if _TO_KEEP.match(sentence, begun.end()) else sentence[begun.end() :] or sentence
    return sentence if _SPACELESS.match(sentence) else ""


def speaks_of_asker(text: str) -> bool:
    """Whether a text speaks of the person who says it: "my", "I", but not the "me" of "tell me"."""
    return _OF_THE_PERSON.search(_CODE.sub(" ", text)) is not None


def is_mere_task(sentence: str) -> bool:
    """Whether a sentence asks the assistant to make or explain something, and tells nothing of the person.

    >>> is_mere_task("Write me a haiku."), is_mere_task("Write a poem for my sister Ann."), is_mere_task("Write that down.")
    (True, False, False)
    """
    task = task_of(sentence)
    return task != "" and not speaks_of_asker(task)
