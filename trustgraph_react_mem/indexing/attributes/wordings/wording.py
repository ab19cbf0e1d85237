"""The forms of one language in which people state their attributes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The sentence forms of one language.

    Alternatives of a regular expression:
    - ``mine``, ``theirs``: possessives of the speaker and of others.  ``possessive``: of somebody named ("Ann's").
    - ``article``: before an attribute that is the speaker's, too ("the boss").
    - ``copula``: between an attribute and its value.  ``called``: before the name of what is new.
    - ``is_mine``: between a value and its attribute ("Ann is my boss").  ``as_mine``: "as my".
    - ``have``: "have a new".  ``new``: begins a text about a new one.  ``changed``: "changed {noun}", without the new one.
    - ``name_of``: between an attribute and the copula ("'s name").  ``ends``: words that end a value.

    ``inflected``: verbs of the first person need no pronoun.  ``spaceless``: the phrases are regular expressions.

    Lists, one attribute a line; a line may be continued by another one with the same name.  ``nouns``: its names.  The others
    hold phrases, apart by semicolons, in which ``a/b`` is one of several words, ``a|b`` words of the first and of the third
    person, ``a?`` one that may be missing, ``a*`` any ending and ``~`` up to four words:
    - ``says``: with ``{}`` for the value.  ``fixed``: attribute and value before the colon.
    - ``measured``: also with ``(topic)``, what the amount is of.
    - ``favourites``: regular expressions, searched if a word begins like one of ``favourite_keys``.
    - ``typed``: values that are known to be of an attribute, with a capital if they must be written so; ``typed_says``: the
      phrases that need one of them.
    """

    code: str
    mine: str
    theirs: str = r"(?!)"
    possessive: str = r"(?!)"
    article: str = r"(?!)"
    copula: str
    called: str = r"(?!)"
    is_mine: str = r"(?!)"
    have: str = r"(?!)"
    new: str = r"(?!)"
    as_mine: str = r"(?!)"
    changed: str = r"(?!)"
    name_of: str = r"(?!)"
    inflected: bool = False
    spaceless: bool = False
    ends: str
    nouns: str
    says: str
    fixed: str = ""
    measured: str = ""
    favourites: str = ""
    favourite_keys: str = ""
    typed: str = ""
    typed_says: str = ""
