"""Random but reproducible sentences for load tests, without a data file."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_SPEAKERS = ("Ana", "Bert", "Chiara", "Dov", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas")
_WHO = ("I", "my sister", "my brother", "our neighbour", "my colleague Tom", "the team", "my daughter", "an old friend")
_WHO_OF = (
    "{}", "{}'s sister", "{}'s brother", "{}'s neighbour", "{}'s colleague Tom", "{}'s team", "{}'s daughter",
    "an old friend of {}",
)  # fmt: skip
_DID = (
    "bought", "repaired", "painted", "returned", "sold", "borrowed", "found", "photographed", "planned", "cancelled",
    "ordered", "measured", "cleaned", "moved", "lost", "described", "compared", "recommended",
)  # fmt: skip
# Paraphrases, for questions that share few words with the sentences.
_DO = (
    "purchase", "fix", "put colour on", "bring back", "get rid of for money", "take on loan", "discover", "take a picture of",
    "prepare", "call off", "send for", "take the size of", "wash", "carry elsewhere", "misplace", "tell about",
    "hold against others", "speak well of",
)  # fmt: skip
_WHAT = (
    "a blue bicycle", "the kitchen table", "two concert tickets", "a used camera", "the garden fence", "a pair of boots",
    "the holiday flat", "a cello", "the old laptop", "a sourdough starter", "the piano", "three tomato plants", "a tent",
    "the tax papers", "a language course", "the train pass", "a bread knife", "the bookshelf", "a telescope", "the boiler",
)  # fmt: skip
_WHAT_ELSE = (
    "a bike", "the dining furniture", "seats for a show", "photo equipment", "the barrier around the yard", "footwear",
    "the vacation apartment", "a string instrument", "a computer", "yeast for baking", "a keyboard instrument", "vegetables",
    "camping gear", "documents for the authorities", "lessons", "a rail ticket", "a kitchen tool", "furniture for books",
    "something to watch stars with", "the heating",
)  # fmt: skip
_WHERE = (
    "in Lisbon", "at the market", "near the harbour", "in the new office", "at the library", "in Graz", "by the lake",
    "at the station", "in the attic", "on the island", "in the workshop", "at the clinic", "in Utrecht", "on the farm",
)  # fmt: skip
_WHEN = ("yesterday", "last week", "on Monday", "in spring", "two years ago", "this morning", "before the storm", "in June")
_WHY = (
    "because it was too noisy", "and it cost {n} euros", "which took {n} minutes", "although nobody asked for it",
    "for the party on the {n}th", "since the old one broke", "and we want to do it again", "with help from {name}",
)  # fmt: skip

SUBJECTS = tuple(f"{what} {where}" for what in _WHAT for where in _WHERE)
"""What the sentences and questions are about."""


def subject_of(text: str) -> str:
    """The first subject that the text names.  Raises: ``StopIteration`` (it names none)."""
    return f"{next(what for what in _WHAT if what in text)} {next(where for where in _WHERE if where in text)}"


@dataclass(frozen=True, slots=True)
class Utterance:
    speaker: str
    text: str
    said_at: datetime
    question: str  # a question that the text answers; other utterances may answer it too


def sentences(count: int, seed: int = 0) -> list[Utterance]:
    """``count`` utterances, one per minute.  The same seed gives the same utterances."""
    rng = random.Random(seed)
    start = datetime(2025, 1, 1, 8, 0, tzinfo=UTC)
    made = []
    for place in range(count):
        why = rng.choice(_WHY).format(n=rng.randint(2, 400), name=rng.choice(_SPEAKERS))
        who, did, what = rng.choice(_WHO), rng.choice(_DID), rng.choice(_WHAT)
        text = f"{who[0].upper()}{who[1:]} {did} {what} {rng.choice(_WHERE)} {rng.choice(_WHEN)}, {why}."
        speaker = rng.choice(_SPEAKERS)
        asked = f"Where did {_WHO_OF[_WHO.index(who)].format(speaker)} {_DO[_DID.index(did)]} {_WHAT_ELSE[_WHAT.index(what)]}?"
        made.append(Utterance(speaker, text, start + timedelta(minutes=place), asked))
    return made


def questions(count: int, seed: int = 1) -> list[str]:
    """Questions about such sentences.  All are different, so that the embedding cache is not used."""
    rng = random.Random(seed)
    return [
        f"What did {rng.choice(_SPEAKERS)} tell me about {rng.choice(_WHAT)} {rng.choice(_WHERE)}, the {place + 1}. time?"
        for place in range(count)
    ]
