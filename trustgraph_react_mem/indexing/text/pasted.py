"""Finds text of others that a person pastes into a message: a mail with its header, a signed letter, what is to be translated.

What is pasted ends where its delimiter does ("```", quotation marks, "---"), at the end of the line if the person speaks of one
sentence, before a last paragraph such as "By the way, ...", or else with the message.
"""

import re

_TASK = (
    r"(?:summari[sz]e|translate|proof-?read|rewrite|rephrase|reply to|shorten|zusammenfassen|fass|fasse|übersetz\w*"
    r"|korrigier\w*|umformulier\w*|beantworte|résum\w+|tradui\w+|corrige\w*|reformul\w+|resum\w+|tradu[cz]\w*|riassum\w+"
    r"|tradur\w+|vertaal|vertalen"
    r"|samenvatten|samen te vatten|vat|herschrijf|переве\w+|перескаж\w+|сократи\w*|przetłumacz\w*|streść|popraw)"
)
_THIS = (
    r"(?:this|these|the following|below|dies\w*|folgend\w*|ce|cet|cette|ces|suivante?s?|est[eao]s?|siguiente|quest[oaie]"
    r"|seguente|ess[ea]|seguinte|dit|deze|volgende|эт\w+|следующ\w+|t[oęeą]|ten|następując\w+)"
)
_SPACELESS = r"(?:翻訳|訳して|要約|添削|翻译|翻譯|总结|總結|概括|번역|요약)"
_SENDER = (
    r"(?:from|von|de|da|van|od|от(?: кого)?|absender|expéditeur|remitente|mittente|afzender|差出人|发件人|發件人|보낸 ?사람)"
)
_NO_REQUEST = r"(?!\W+(?:out|for|für|pour|para|per|voor|dla|для)\b)"  # "Check this out!", "What does this mean for me?"
_ASKED = (
    r"what (?:do|does) (?:this|these|that|it|the following)(?: \w+){0,3} (?:mean|say)"
    r"|(?:reply|respond|react) to (?:this|these|that|the following)"
    r"|(?:explain|correct|check|proof-?read|paraphrase|simplify|interpret|polish|edit|improve)(?: to me)?"
    r" (?:this|these|the following)"
    r"|is (?:this|the following)(?: \w+){0,3} (?:correct|right|polite|spam|a scam|phishing)"
    r"|was (?:bedeute[tn]|heißt|heißen|besagt) (?:das|dies\w*|(?:der|die|das) folgende\w*)"
    r"|(?:antwort\w*|reagier\w*)(?: mir| bitte)? auf (?:das|dies\w*|(?:der|die|das|den) folgende\w*|folgend\w*)"
    r"|(?:erklär|erläuter|prüf|überprüf|verbesser|vereinfach|übersetz|korrigier|fass)\w*(?: mir| bitte| mal){0,2}"
    r" (?:das|dies\w*|(?:der|die|das|den) folgende\w*|folgend\w*)"
    r"|ist (?:das|dies\w*)(?: \w+){0,3} (?:richtig|korrekt|höflich|betrug|spam)"
    r"|que (?:veut dire|signifie)(?: \w+)? (?:ceci|cela|ça|cet?|cette|ces|ce qui suit)"
    r"|(?:que|ce que) (?:ceci|cela|ça)(?: \w+)? (?:veut dire|signifie)"
    r"|(?:répon\w+ (?:à|au)|expliqu\w+|vérifi\w+|amélior\w+|simplifi\w+)(?:[ -]moi)?"
    r" (?:ceci|cela|ça|cet?|cette|ces|ce qui suit|texte suivant)"
    r"|qué (?:significan?|quiere decir) (?:est[aeo]s?|eso|lo siguiente)"
    r"|(?:(?:responde|responder|contesta|contestar) a|expl[ií]ca\w*|revisa|mejora|simplifica) (?:est[aeo]s?|eso|lo siguiente)"
    r"|(?:cosa|che) (?:significan?|vuol dire) (?:quest[aeio]|ciò|il seguente)"
    r"|(?:rispondi a|rispondere a|spiega\w*|controlla|migliora|semplifica) (?:quest[aeio]|ciò|il seguente)"
    r"|que (?:significam?|quer dizer) (?:ist[eo]|iss[eo]|est[ae]s?|ess[ae]s?|o seguinte)"
    r"|(?:respond[ae] a|expli(?:ca|que)\w*|rev(?:ê|eja)|melhor[ae]|simplifi(?:ca|que))"
    r" (?:ist[eo]|iss[eo]|est[ae]s?|ess[ae]s?|o seguinte)"
    r"|wat (?:betekent|betekenen|bedoelt)(?: \w+)? (?:dit|dat|deze|het volgende)"
    r"|(?:(?:antwoord|reageer) op|beantwoord|controleer|verbeter|vereenvoudig|leg) (?:dit|dat|deze|het volgende|de volgende)"
    r"|co (?:to (?:znaczy|oznacza)|(?:znaczy|oznacza) (?:to|ten|ta|poniższ\w*|następując\w*))"
    r"|(?:odpowiedz|odpisz|odpowiedzieć) na (?:to|ten|tę|te|poniższ\w*|następując\w*)"
    r"|(?:wyjaśnij|sprawdź|popraw|uprość)(?: mi)? (?:to|ten|tę|te|poniższ\w*|następując\w*)"
    r"|что (?:это )?(?:значит|означает)(?: эт\w+| следующ\w+)?|что эт\w+(?: \w+){0,2} (?:значит|означает)"
    r"|(?:ответь|ответьте|ответить) на (?:эт\w+|следующ\w+)"
    r"|(?:объясни|проверь|исправь|упрости|улучши)(?:те)?(?: мне)? (?:эт\w+|следующ\w+)"
)
_SPACELESS_THIS = r"(?:这|這|以下|下面|この|これ|次の|下の|이 ?(?:것|거|게|글|메일|문장|편지|메시지)|다음|아래)"
_SPACELESS_ASKED = r"(?:什么意思|什麼意思|回复|回覆|答复|解释|解釋|意味|返信|返事|説明|뜻|답장|답변|해석|설명)"
_PASTED = re.compile(
    rf"\b{_TASK}\b[^\n:]{{0,80}}:(?=\s).*"
    rf"|\b{_TASK}\b(?:[^\n:]{{0,60}}\W)?{_THIS}\b[^\n]{{0,80}}\n.*"
    rf"|\b(?:{_ASKED})\b{_NO_REQUEST}[^\n:.!?]{{0,60}}[.!?]*[ \t]*(?::(?=\s)|\n).*"
    rf"|{_SPACELESS}[^\n:：]{{0,40}}[:：\n].*"
    rf"|(?:{_SPACELESS_THIS}[^\n:：]{{0,30}}{_SPACELESS_ASKED}"
    rf"|{_SPACELESS_ASKED}[^\n:：]{{0,10}}{_SPACELESS_THIS})[^\n:：]{{0,40}}[:：\n].*"
    rf"|^[ \t]*{_SENDER}[ \t]*[:：][^\n]*\n.*",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
# A letter of somebody else: a greeting at the start of a line, a closing and a name under it.  The person's own message to the
# assistant begins with a greeting that names nobody.
_ASSISTANT = (
    r"(?:there|all|everyone|everybody|assistant|ai|bot|chatgpt|claude|gemini|zusammen|assistent|assistente|asistente|tous)"
)
_CLOSING = (
    r"(?:best|(?:best|kind|warm|many)(?: \w+)? (?:wishes|regards|thanks)|regards|cheers|thanks(?: so much| again| a lot)?"
    r"|thank you|love"
    r"|yours(?: \w+)?|sincerely|take care|(?:all the best)|xx?|lg|vg|mfg|gru(?:ß|ss)|(?:viele|liebe|beste|herzliche"
    r"|schöne) grü(?:ß|ss)e"
    r"|mit (?:freundlichen|besten|lieben) grü(?:ß|ss)en|danke|cordialement|bien à (?:vous|toi)|amitiés|bises|bisous"
    r"|à bientôt|merci"
    r"|saludos(?: \w+)?|un (?:saludo|abrazo)|besos|atentamente|gracias|(?:cordiali|cari|distinti) saluti|saluti"
    r"|un abbraccio|baci|grazie"
    r"|abraços?|um abraço|beijos?|cumprimentos|atenciosamente|obrigad[oa]|(?:met )?(?:vriendelijke"
    r"|hartelijke) groet(?:en)?|groet(?:en|jes)?"
    r"|liefs|bedankt|pozdrawiam|pozdrowienia|serdecznie|с уважением|всего доброго|с наилучшими пожеланиями|обнимаю|целую"
    r"|спасибо)"
)
_GREETING = (
    r"(?:hi|hey|hello|dear|good (?:morning|afternoon|evening)|hallo|lieber?|guten (?:tag|morgen)|moin|servus"
    r"|sehr geehrter?|bonjour"
    r"|salut|coucou|ch(?:er|ère)s?|hola|buenos días|querid[oa]s?|estimad[oa]|ciao|buongiorno|gentile|car[oa]|olá|oi"
    r"|bom dia|prezad[oa]"
    r"|beste|dag|hoi|goedemorgen|cześć|dzień dobry|drog[ia]|szanown[ya]|привет|здравствуйте?|дорог(?:ой|ая)|уважаем(?:ый|ая))"
)
_LETTER_END = rf"[^\n]*(?:\n[^\n]*){{1,40}}?(?:^|[.!?…]\s|\n)[ \t]*{_CLOSING}[ \t]*[,.!–-]?\s*[^\W\d_][\w. -]{{0,40}}[ \t]*$"
_LETTER = re.compile(
    rf"(?:(?<=\n)[ \t]*{_GREETING}\b[^\n.!?]{{0,40}}[,!:–-]?[ \t]*(?=\n)"
    rf"|\A\s*{_GREETING} (?!{_ASSISTANT}\b)[^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*)?[ \t]*[,!:–-]?[ \t]*(?=\n)){_LETTER_END}",
    re.IGNORECASE | re.MULTILINE,
)
_OPENING = re.compile(r"[^\n:：]*(?:[:：]|\n)\s*")
_DELIMITED = re.compile(
    r"(?P<mark>```|~~~|\"\"\"|'{3}|[-=*_]{3,}(?=\s*\n)).*?(?P=mark)[-=*_]*"
    r"|\"[^\"]*\"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«|「[^「」]*」|『[^『』]*』|<(?P<tag>\w{1,20})>.*?</(?P=tag)>"
    r"|(?:>[^\n]*(?:\n[ \t]*|\Z))+",
    re.DOTALL,
)
_ONE_SENTENCE = re.compile(
    r"\b(?:sentence|line|word|phrase|expression|satz|zeile|wort|phrase|mot|ligne|frase|palabra|línea|parola|riga|palavra"
    r"|linha|zin|woord"
    r"|regel|zdanie|słowo|wiersz|фраз\w+|предложение|слово|строк\w+)\b|文を|この文|一文|这句|這句|句子|문장",
    re.IGNORECASE,
)
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_ASIDE = re.compile(
    r"(?:by the way|btw|übrigens|nebenbei(?: bemerkt)?|au fait|d['’]ailleurs|por cierto|a prop[oó]sito|tra l['’]altro|já agora"
    r"|aliás|trouwens|overigens|swoją drogą|przy okazji|кстати)(?!\w)|ちなみに|ところで|顺便|順便|对了|對了|그런데|참고로",
    re.IGNORECASE,
)
# What follows the name of a document and a colon, up to an empty line.
_DOCUMENT = re.compile(
    r"(?i)\b(?:e-?mails?|mails?|messages?|letters?|articles?|pages?|websites?|posts?|reviews?|documents?|transcripts?"
    r"|newsletters?|"
    r"nachricht|brief|artikel|seite|courriel|article|lettre|correo|mensaje|carta|artículo|письмо|сообщение)\b"
    r"[^\n:.!?]{0,60}:\s[^\n]++(?:\n[^\n]++)*+"
)
_QUOTED_LINE = re.compile(r"^[ \t]*>[ \t].*$", re.MULTILINE)  # as mail programs and Markdown quote


def split_pasted(text: str, *, asides: bool = True) -> tuple[str, str]:
    """What a person says themselves, and what is pasted with the request before it; "" if nothing is.

    ``asides``: a last paragraph that begins with "By the way" is the person's own.  It may also be the end of a letter.

    >>> split_pasted("I live in Turin. Translate this: I moved to Naples.")
    ('I live in Turin. ', 'Translate this: I moved to Naples.')
    """
    found = _PASTED.search(text) if "\n" in text or ":" in text or "：" in text else None
    letter = _LETTER.search(text) if "\n" in text else None
    if letter is not None and (found is None or letter.start() < found.start()):
        return text[: letter.start()] + text[letter.end() :], letter.group()
    if found is None:
        return text, ""
    pasted = found.group()
    end = _end(pasted, asides)
    return text[: found.start()] + pasted[end:], pasted[:end]


def without_pasted(text: str, *, asides: bool = True) -> str:
    """What a person says themselves, without quoted lines."""
    return _QUOTED_LINE.sub("", split_pasted(text, asides=asides)[0])


def without_documents(text: str) -> str:
    """The text without the paragraph after the name of a document and a colon, which may also be a person's own note.

    >>> without_documents("The mail says: pay Eve.\\n\\nI live in Turin.")
    'The \\n\\nI live in Turin.'
    """
    return _DOCUMENT.sub("", text)


def _end(pasted: str, asides: bool) -> int:
    opening = _OPENING.match(pasted)
    start = opening.end() if opening else 0
    if delimited := _DELIMITED.match(pasted, start):
        return delimited.end()
    if _ONE_SENTENCE.search(pasted, 0, start) and (line_end := pasted.find("\n", start)) > 0:
        return line_end
    last = max((found.end() for found in _PARAGRAPH.finditer(pasted.rstrip(), start)), default=0)
    return last if asides and last and _ASIDE.match(pasted, last) else len(pasted)
