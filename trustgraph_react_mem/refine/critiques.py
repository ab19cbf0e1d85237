"""Whether a critique asks for anything."""

import re

MOST_CHARS = 20_000
_THINGS = r"(?:improvements?|changes?|revisions?|corrections?|issues?|problems?|errors?)"
# "No changes." and "no issues found", but not "no issues with the first sentence".
_ENDS = (
    r"(?:\s+(?:(?:is|are|seems?)\s+)?(?:needed|necessary|required|found|left|with (?:the|this) (?:answer|text|draft)))?"
    r"(?=\s*(?:[.!;,)]|$))"
)
_SATISFIED = re.compile(
    rf"(?im)\bno (?:further|more) (?:improvements?|changes?|revisions?)\b|\bno (?!other )(?:\w+ )?{_THINGS}{_ENDS}"
    r"|\bno need (?:for|to) (?:any |further )?(?:improve|change|revis|correct)|\bminimal revisions?\b"
    r"|\bnothing (?:to|needs to be) (?:improve|change|revise)"
    r"|\bkeine (?:weiteren )?(?:verbesserungen|änderungen)\b|\bnichts zu (?:verbessern|ändern)"
    r"|\baucune (?:autre )?(?:amélioration|modification)|\bsin (?:más )?(?:mejoras|cambios)\b"
    r"|\bno (?:se necesitan|hacen falta) (?:más )?(?:mejoras|cambios)\b"
    r"|\bnessun[ao]? (?:ulteriore |altra )?(?:miglioramento|modifica)|\bnenhuma (?:outra )?(?:melhoria|alteração)"
    r"|\bgeen (?:verdere )?(?:verbeteringen|wijzigingen)\b"
)
_CONTRARY = re.compile(
    r"(?i)\b(?:but|however|except|although|though|unless|until|aber|jedoch|außer|mais|cependant|sauf|pero|sino|excepto|però"
    r"|tranne|mas|porém|maar|echter|behalve)\b"
)


def asks_nothing(critique: str) -> bool:
    """Whether a critique says that nothing is left to improve, without a "but" after it.

    >>> asks_nothing("No further improvements."), asks_nothing("No changes needed, but name the year.")
    (True, False)
    """
    critique = critique[:MOST_CHARS]
    found = _SATISFIED.search(critique)
    return found is not None and _CONTRARY.search(critique, found.end()) is None
