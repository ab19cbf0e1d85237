"""For whom learning from citations is worth it: ``python -m bench.preferences FILE[,FILE...]``, LoCoMo or LongMemEval files.

Synthetic users ask the questions of each file, one user for each dialogue and preference.  What such a user takes from the
twenty candidates are the first two of the preferred kind, for four fifths of the questions, and else the evidence that the file
names.  Questions to which all candidates or none are of that kind are left out.  Coverage@5 counts the memories taken.  Each
question is ranked before it is learned from; "second half" is that of each user's questions.

- the evidence: no preference, as in ``make eval``.
- one speaker: what one of the speakers said, where several speak.
- newest third, oldest third: by time.  long, short: above or below the median length.
- facts, turns: if the file has statements about its turns; both are then in the memory.
"""

import argparse
import asyncio
import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.transcripts import read_asked_transcripts
from trustgraph_react_mem.retrieval.columns.scope_columns import KINDS, ScopeColumns

from .bank import open_bank
from .cached_embedder import open_embedder
from .coverage import Answered
from .evaluate import dialogues_of, ground_of
from .gains import gains
from .methods import DEFAULT, LEARNERS, Found, Ground, answered, learned

TAKEN = 2
FOLLOWED = 0.8  # share of the questions for which the user's preference decides
FEWEST = 10  # questions of a user
LEAST_SHARE = 0.1  # of the records, for a speaker to be one
METHOD = "default+learning"


@dataclass(frozen=True, slots=True)
class Preference:
    """``preferred`` (n,): the slots of the scope; None: the user takes the evidence."""

    name: str
    preferred: NDArray[np.bool_] | None = None


def preferences(hot: ScopeColumns) -> Iterator[Preference]:
    yield Preference("the evidence")
    speaker, said_at, lengths = (hot.column(name) for name in ("speaker", "said_at", "lengths"))
    several = [each for each in np.unique(speaker) if each and (speaker == each).mean() >= LEAST_SHARE]
    if len(several) > 1:
        yield from (Preference("one speaker", speaker == each) for each in several)
    yield Preference("newest third", said_at >= np.quantile(said_at, 2 / 3))
    yield Preference("oldest third", said_at <= np.quantile(said_at, 1 / 3))
    yield Preference("long", lengths > np.median(lengths))
    yield Preference("short", lengths < np.median(lengths))
    turns = hot.column("kind") == KINDS.index("turn")
    if not turns.all():
        yield Preference("facts", ~turns)
        yield Preference("turns", turns)


def taken(ground: Ground, items: Sequence[Found], preference: Preference) -> list[Found]:
    """The questions of one user, with the ids of the memories taken as evidence."""
    if preference.preferred is None:
        return list(items)
    draw = random.Random(f"{ground.transcript.id} {preference.name}")
    found = []
    for item in items:
        ids = item.candidates.ids
        wanted = [each for each in ids if preference.preferred[ground.hot.slots[each]]]
        if not wanted or len(wanted) == len(ids):
            continue
        used = wanted[:TAKEN]
        if draw.random() >= FOLLOWED:
            used = [each for each, turns in zip(ids, item.turns, strict=True) if turns.intersection(item.asked.evidence)]
        if used:
            alone = tuple(frozenset({each}) for each in ids)
            found.append(replace(item, asked=replace(item.asked, evidence=tuple(used)), turns=alone))
    return found


def study(ground: Ground, items: Sequence[Found], seeds: int) -> dict[str, tuple[list[Answered], list[Answered]]]:
    """By preference: the questions without learning, and with it.  Users of one preference are told apart by their number."""
    items = [item for item in items if item.asked.category != "5"]
    result: dict[str, tuple[list[Answered], list[Answered]]] = {}
    for number, preference in enumerate(preferences(ground.hot)):
        asked = taken(ground, items, preference)
        if len(asked) < FEWEST:
            continue
        plain, learning = result.setdefault(preference.name, ([], []))
        plain += [_of_user(answered(ground, DEFAULT, item), number) for item in asked]
        for seed in range(seeds):
            rows = learned(ground, METHOD, LEARNERS[METHOD], asked, seed)
            learning += [_of_user(row, number) for row in rows]
    return result


def _of_user(row: Answered, number: int) -> Answered:
    return replace(row, transcript=f"{row.transcript}/{number}")


def show(title: str, found: dict[str, tuple[list[Answered], list[Answered]]]) -> None:
    """A Markdown table."""
    print(f"\n{title}\n\n| takes | users | questions | @5 without learning | with | second half |\n|---|---|---|---|---|---|")
    for name, (plain, learning) in found.items():
        gain = gains(learning, plain)
        every, second = ({k: each["coverage@5"][k] for k in ("mean", "spread")} for each in (gain["all"], gain["second"]))
        users = len({row.transcript for row in plain})
        before = 100 * statistics.fmean(row.figures["coverage@5"] for row in plain)
        changes = " | ".join(f"{each['mean']:+.1f} ± {each['spread']:.1f}" for each in (every, second))
        print(f"| {name} | {users} | {len(plain)} | {before:.1f} | {changes} |", flush=True)


async def measure(files: Sequence[Path], model: str, only: slice, seeds: int) -> None:
    async with open_embedder(model) as embedder:
        for file in files:
            found: dict[str, tuple[list[Answered], list[Answered]]] = {}
            async with open_bank(embedder) as bank:
                for transcript in read_asked_transcripts(file)[only]:
                    ground = await ground_of(bank, transcript, embedder, observations=bool(transcript.notes))
                    for name, rows in study(ground, await ground.default(), seeds).items():
                        for kept, each in zip(found.setdefault(name, ([], [])), rows, strict=True):
                            kept += each
                    print(f"{transcript.id}: done", flush=True)
            show(str(file), found)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.preferences", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", help="LoCoMo or LongMemEval file, or several with commas between them")
    parser.add_argument("--embeddings", default="", help="name in the catalogue; default: the model that the stack would use")
    parser.add_argument("--seeds", type=int, default=3, help="number of random orders of the questions (default 3)")
    parser.add_argument("--only", default="", help="dialogues of each file, such as 1-2; default: all")
    arguments = parser.parse_args()
    if arguments.seeds < 1:
        raise SystemExit(f"--seeds {arguments.seeds}: at least 1 order is needed")
    files = [Path(name) for name in arguments.data.split(",")]
    asyncio.run(measure(files, arguments.embeddings, dialogues_of(arguments.only), arguments.seeds))


if __name__ == "__main__":
    main()
