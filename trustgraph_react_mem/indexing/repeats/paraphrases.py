"""Common facts in one of their wordings: "my sister gets married" as "my sister's wedding is", "allergic" as "allergy".

Only wordings that say the same of anybody are here.  A wording that loses something, such as a time or a place, is none.
"""

import re
from collections.abc import Iterator

# A wording, and what it becomes.  In order.
_WORDINGS = tuple(
    (re.compile(rf"(?<!\w){wording}(?!\w)", re.IGNORECASE), same)
    for wording, same in (
        # Names
        (r"(\w+)'s name(?: is|'s)", r"\1 is"),
        (r"the name of (m[yi]|our) (\w+) is", r"\1 \2 is"),
        (r"der name mein(?:er|es) (\w+?)(?:e?s)? ist", r"mein \1 ist"),
        (r"le (?:nom|prénom) de m(?:on|a) (\w+) est", r"mon \1 est"),
        (r"el nombre de mi (\w+) es", r"mi \1 es"),
        (r"il nome (?:del mio|della mia|di mi[oa]) (\w+) è", r"mio \1 è"),
        (r"o nome d[oa] (?:meu|minha) (\w+) é", r"meu \1 é"),
        (r"de naam van mijn (\w+) is", r"mijn \1 is"),
        (r"mo(?:jego|jej) (\w+) ma na imię", r"moja \1"),
        (r"s'appelle(?:nt)?", "est"),
        (r"se llaman?", "es"),
        (r"si chiama(?:no)?", "è"),
        (r"se chamam?|chamam?-se", "é"),
        (r"wabi się|nazywa się|ma na imię", "jest"),
        # Weddings
        (r"(?:i|we)(?:'m|'re| am| are| will)?(?: getting| get| going to get) married(?! to)", "my wedding is"),
        (
            r"(\w+)(?: gets?|'s getting| (?:is|are) getting| will get| (?:is|are) going to get) married(?! to)",
            r"\1's wedding is",
        ),
        (r"(?:mein\w*|unser\w*) (\w+) heiratet", r"Hochzeit meiner \1"),
        (r"(?:mon|ma|mes|notre) (\w+) se mari(?:e|ent)", r"mariage de mon \1"),
        (r"mis? (\w+) se casan?", r"boda de mi \1"),
        (r"(?:mi[oa]|nostr[oa]) (\w+) si sposa", r"matrimonio di mio \1"),
        (r"[oa]? ?(?:meu|minha) (\w+)(?: se casa| casa-se)", r"casamento de meu \1"),
        (r"(?:mijn|onze) (\w+)(?: gaat)? trouw(?:t|en)", r"bruiloft van mijn \1"),
        # What one does, and the thing that one does
        (r"(\w+) graduates", r"\1's graduation is"),
        (r"i(?:'ll| will)? retire", "my retirement is"),
        (r"i was born on(?!.*\d{4})", "my birthday is"),
        (r"(?:my|our) (?:job|work|workplace) is (at|with|for|in)", r"I work \1"),
        (r"i have a job (at|with|in)", r"I work \1"),
        (r"mein(?:e|) (?:arbeit|job|arbeitsplatz) ist (bei|in|an)", r"ich arbeite \1"),
        (r"mon (?:travail|boulot|job) est (chez|à)", r"je travaille \1"),
        (r"[oa] meu (?:trabalho|emprego) é", "trabalho"),
        (r"mi (?:empleo|trabajo) (?:es|está)", "trabajo"),
        (r"il mio (?:impiego|lavoro) è", "lavoro"),
        (r"mijn (?:werk|baan) is (bij|in)", r"ik werk \1"),
        (r"(?:my|our) home is (in|at|on)", r"I live \1"),
        (r"(?:my|our) car is an?", "I drive a"),
        (r"i wear (?:a )?shoe size", "my shoe size is"),
    )
)
# The beginnings of adjectives and nouns of one meaning.  The rest of a compound stays a word: "Nussallergie".
_ROOTS = re.compile(
    r"(?P<rest>\w{3,}?)?(?P<root>all?erg|аллерг|uczul|intolleran|intoleran|diabet|диабет|cukrzyc|asthma|asma|astma|астм"
    r"|vegetari"
    r"|vegan|celiac|coeliac|zoliak|epilep|эпилеп|migr[ae]in)\w{0,7}"
)


def in_one_wording(text: str) -> str:
    """The text with what it says in another wording in the common one.

    >>> in_one_wording("my sister gets married on 3 May")
    "my sister's wedding is on 3 May"
    """
    for wording, same in _WORDINGS:
        text = wording.sub(same, text)
    return text


def root_of(word: str) -> Iterator[str]:
    """A folded word without the ending of a genitive, a plural or a third person, or the root that it shares with others."""
    found = _ROOTS.fullmatch(word)
    if found is None:
        yield shorten(word)
        return
    if found["rest"]:
        yield shorten(found["rest"])
    yield found["root"].replace("ll", "l")


def shorten(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word
