"""Seeded, plausible sentences for load: what people say about their days.  No data file is needed."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_SPEAKERS = ("Ana", "Bert", "Chiara", "Dov", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas")
_WHO = ("I", "my sister", "my brother", "our neighbour", "my colleague Tom", "the team", "my daughter", "an old friend")
_DID = (
    "bought", "repaired", "painted", "returned", "sold", "borrowed", "found", "photographed", "planned", "cancelled",
    "ordered", "measured", "cleaned", "moved", "lost", "described", "compared", "recommended",
)  # fmt: skip
_WHAT = (
    "a blue bicycle", "the kitchen table", "two concert tickets", "a used camera", "the garden fence", "a pair of boots",
    "the holiday flat", "a cello", "the old laptop", "a sourdough starter", "the piano", "three tomato plants", "a tent",
    "the tax papers", "a language course", "the train pass", "a bread knife", "the bookshelf", "a telescope", "the boiler",
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


@dataclass(frozen=True, slots=True)
class Utterance:
    speaker: str
    text: str
    said_at: datetime


def sentences(count: int, seed: int = 0) -> list[Utterance]:
    """``count`` utterances, one a minute; the same seed gives the same ones."""
    rng = random.Random(seed)
    start = datetime(2025, 1, 1, 8, 0, tzinfo=UTC)
    made = []
    for place in range(count):
        why = rng.choice(_WHY).format(n=rng.randint(2, 400), name=rng.choice(_SPEAKERS))
        who = rng.choice(_WHO)
        text = (
            f"{who[0].upper()}{who[1:]} {rng.choice(_DID)} {rng.choice(_WHAT)} {rng.choice(_WHERE)} {rng.choice(_WHEN)}, {why}."
        )
        made.append(Utterance(rng.choice(_SPEAKERS), text, start + timedelta(minutes=place)))
    return made


def questions(count: int, seed: int = 1) -> list[str]:
    """Questions about such sentences, all different, so that no cache of embeddings answers them."""
    rng = random.Random(seed)
    return [
        f"What did {rng.choice(_SPEAKERS)} tell me about {rng.choice(_WHAT)} {rng.choice(_WHERE)}, the {place + 1}. time?"
        for place in range(count)
    ]
