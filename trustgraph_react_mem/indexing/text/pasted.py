"""Finds text of others that a person pastes into a message: an e-mail with its header, or what is to be translated."""

import re

_TASK = (
    r"(?:summari[sz]e|translate|proof-?read|rewrite|rephrase|reply to|shorten|zusammenfassen|fass|fasse|übersetz\w*"
    r"|korrigier\w*|umformulier\w*|beantworte|résum\w+|tradui\w+|corrige\w*|reformul\w+|resum\w+|tradu[cz]\w*|riassum\w+|tradur\w+|vertaal|samenvatten"
    r"|vat|herschrijf|переве\w+|перескаж\w+|сократи\w*|przetłumacz\w*|streść|popraw)"
)
_THIS = (
    r"(?:this|these|the following|below|dies\w*|folgend\w*|ce|cet|cette|ces|suivante?s?|est[eao]s?|siguiente|quest[oaie]"
    r"|seguente|ess[ea]|seguinte|dit|deze|volgende|эт\w+|следующ\w+|t[oęeą]|ten|następując\w+)"
)
_SPACELESS = r"(?:翻訳|訳して|要約|添削|翻译|翻譯|总结|總結|概括|번역|요약)"
_SENDER = (
    r"(?:from|von|de|da|van|od|от(?: кого)?|absender|expéditeur|remitente|mittente|afzender|差出人|发件人|發件人|보낸 ?사람)"
)
_PASTED = re.compile(
    rf"\b{_TASK}\b[^\n:]{{0,80}}:(?=\s).*"
    rf"|\b{_TASK}\b(?:[^\n:]{{0,60}}\W)?{_THIS}\b[^\n]{{0,80}}\n.*"
    rf"|{_SPACELESS}[^\n:：]{{0,40}}[:：\n].*"
    rf"|^[ \t]*{_SENDER}[ \t]*[:：][^\n]*\n.*",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)


def without_pasted(text: str) -> str:
    """The text up to what is pasted, which is the rest of it.

    >>> without_pasted("I live in Turin. Translate this: I moved to Naples.")
    'I live in Turin. '
    """
    return _PASTED.sub("", text, count=1)
