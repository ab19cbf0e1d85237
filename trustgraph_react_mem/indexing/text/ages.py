"""Reads how old somebody is, in twelve languages: "Theo is four", "Theo turned five", "Lucía ya cumplió 8"."""

import re

from .number_words import replace_number_words

OLDEST = 120
_NUMBER = r"(?P<{}>(?<!\d)\d{{1,3}})"
_END = r"(?=\s*(?:$|[,.!;…]|(?:now|today|yesterday|on|last|this|next|in|and|but|jetzt|geworden|und)\b))"
_STOP = r"(?=\s*(?:$|[,.!;…]))"
_AT_PRESENT = "(?:ya |già |já |już |maintenant |ahora |ora |agora |teraz )?"
_AGE = re.compile(
    rf"\b(?:(?:is|am|are|'m|im|'s)(?: now| already| only)?|turn(?:ed|s)|(?:ist|bin|wird|wurde)(?: jetzt| schon| (?:letzte "
    rf"|gestern )?\w*)?)"
    rf" {_NUMBER.format('bare')}{_END}"
    rf"|\b(?:is|am|are|'m|im|'s|turn(?:ed|s)|ist|bin|wird|wurde|ben|werd) (?:\w+ )?{_NUMBER.format('years')}"
    rf"[- ](?:years?|jahre?|jaar)(?:[- ](?:old|alt|oud)\b| of age\b|{_STOP})"
    rf"|\b(?:a|ai|as|a eu|vient d'avoir|d'avoir|tengo|tiene|cumpl(?:e|ió|í|ir)|ho|ha|ha compiuto|ho compiuto|compie|tem|tenho"
    rf"|fez|fiz|completou|completei|ma|mam|skończył[ae]?m?) {_AT_PRESENT}{_NUMBER.format('romance')}"
    r" (?:ans|años|anni|anos|lat|lata)\b(?!,? (?:de |di |d['’])(?!edad|idade|età))"
    rf"|\b(?:vient d'avoir|cumpl(?:e|ió|í|ir)|(?:ha |ho )?compiuto|compie|completou|completei|skończył[ae]?m?) "
    rf"{_AT_PRESENT}{_NUMBER.format('turned')}{_STOP}"
    rf"|\b(?:мне|(?<!ему )(?<!ей )исполнилось) (?:уже |теперь |сейчас |исполнилось )?{_NUMBER.format('russian')}"
    rf"(?: (?:год|года|лет)\b|{_STOP})"
    rf"|{_NUMBER.format('spaceless')}\s?(?:歳|岁|살)",
    re.IGNORECASE,
)
_AGED = re.compile(
    r"(?i)\b(?:years?[- ])?(?:old|of age)\b|\b(?:alt|oud)\b|\bd['’]âge\b|\bd[ei] (?:edad|età|idade)\b|\blat\b|살|歳|岁"
)
_LIKE = re.compile(r"\b(?:like|as if|als ob|wie|comme|como|come|alsof|jakby|будто)\b", re.IGNORECASE)
_NO_NUMBER = re.compile(r"\b(?:single|ein|eine|einer|un|une|una|uma|um)\b(?! (?:jahr|an|anno|año|ano)\b)", re.IGNORECASE)
_CJK_DIGITS = str.maketrans("一二三四五六七八九", "123456789")
_CJK_AGE = re.compile(r"[一二三四五六七八九十]{1,3}(?=\s?(?:歳|岁))")


def find_age(clause: str, language: str) -> tuple[str, int] | None:
    """The age in a clause, and what stands before it; None if the clause gives none."""
    plain = _CJK_AGE.sub(_cjk_number, replace_number_words(_NO_NUMBER.sub("…", clause), language, weak=True))
    found = _AGE.search(plain)
    if found is None or _LIKE.search(plain[: found.start()]):
        return None
    age = int(next(filter(None, found.groups())))
    return (plain[: found.start()], age) if age <= OLDEST else None


def _cjk_number(found: re.Match[str]) -> str:
    tens, ten, ones = found.group().rpartition("十")
    one = int(ones.translate(_CJK_DIGITS) or 0)
    return str((int(tens.translate(_CJK_DIGITS) or 1) * 10 if ten else 0) + one)


def without_age_words(claim: str) -> str:
    """The claim without the words that only make a number an age, such as "old"."""
    return _AGED.sub(" ", claim)
