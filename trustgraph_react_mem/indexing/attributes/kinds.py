"""How the values of an attribute are compared."""

from enum import Enum, auto


class Kind(Enum):
    """What a value is.  PLACE: a name, or else any words.  DIGITS: of a telephone.  DOSE: of a medicine."""

    NAME = auto()
    PLACE = auto()
    WORDS = auto()
    DIGITS = auto()
    NUMBER = auto()
    MONEY = auto()
    DOSE = auto()
    DATE = auto()
    EMAIL = auto()


KINDS = {
    "employer": Kind.PLACE,
    "job": Kind.WORDS,
    "team": Kind.WORDS,
    "project": Kind.WORDS,
    "study": Kind.WORDS,
    "favourite": Kind.WORDS,
    "size": Kind.WORDS,
    "password": Kind.WORDS,
    "wifi": Kind.WORDS,
    "pronouns": Kind.WORDS,
    "blood group": Kind.WORDS,
    "phone number": Kind.DIGITS,
    "email": Kind.EMAIL,
    "salary": Kind.MONEY,
    "weight": Kind.NUMBER,
    "height": Kind.NUMBER,
    "target weight": Kind.NUMBER,
    "commute time": Kind.NUMBER,
    "shoe size": Kind.NUMBER,
    "bedtime": Kind.NUMBER,
    "wakes up": Kind.NUMBER,
    "birthday": Kind.DATE,
    "age": Kind.NUMBER,
    "price": Kind.MONEY,
    "dose": Kind.DOSE,
}
# Another value is a change without a word such as "now".
SOLE = frozenset(
    [
        "manager",
        "birthday",
        "favourite",
        "salary",
        "weight",
        "height",
        "commute time",
        "shoe size",
        "price",
        "dose",
        "size",
        "phone number",
        "blood group",
        "age",
        "diet",
        "smoking",
        "relationship",
        "pronouns",
        "target weight",
        "hand",
        "coffee",
        "tea",
    ]
)
