"""Measures an embedding model: ``python -m bench.calibrate [--embeddings NAME] [--data FILE]``, or ``make calibrate``.

Prints the profile for ``memory/embedding.py`` and the floors for ``indexing/floors.py``, from the sentences of
``models/calibration.py``, from ``ANSWERED``, and by language from ``general_requests.py``.  With a LoCoMo file it also prints
what the floors cost and save on it: the share of the questions that get no memories, from the person's own memory and from
another person's.
"""

import argparse
import asyncio
from pathlib import Path

import numpy as np

from trustgraph_react_mem.indexing.floors import Floors, floors_of
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.models.calibration import PARAPHRASES, UNRELATED, calibrate_profile
from trustgraph_react_mem.retrieval.query import RetrievalQuery

from .bank import open_bank
from .cached_embedder import CachedEmbedder, open_embedder
from .general_requests import REQUESTS, STATEMENTS
from .transcripts import TranscriptQuestion as Asked
from .transcripts import read_asked_transcripts

# A question and a statement that answers it; no statement answers another question.
ANSWERED = (
    ("Where do I live now?", "User: We moved into a small flat in Bergen last autumn."),
    ("What is my cat called?", "User: Pixel, our grey cat, sleeps on the radiator all day."),
    ("What does my sister do for a living?", "User: My sister Clara teaches chemistry at a grammar school."),
    ("When is the car inspection?", "User: The garage can take the car for its inspection on 19 March."),
    ("What may I not cook for Leila?", "User: Leila gets a rash from peanuts, so I always check the labels."),
    ("Which instrument does Tom play?", "User: Tom practises the cello for an hour before school."),
    ("How much is the rent?", "User: From May on the landlord wants 1,150 euros a month."),
    ("What did Maria study?", "Maria: I got my degree in marine biology in Lisbon."),
    ("Who repaired the roof?", "User: Old Mr Hansen came with his son and fixed the tiles in two days."),
    ("What do I take for my blood pressure?", "User: The doctor put me on five milligrams of ramipril in the morning."),
    ("Which hotel did we like in Rome?", "User: The little hotel near the Pantheon with the lemon trees was lovely."),
    ("Why did the deployment fail?", "User: The release was rolled back because the database ran out of disk space."),
    ("What is Sam's favourite food?", "Sam: I could eat lasagne every single day."),
    ("When did Ana run the marathon?", "Ana: In October I finally finished my first marathon, in under four hours."),
    ("What language should you answer in?", "User: Please write to me in German from now on."),
    ("Who is my boss?", "User: I report to Petra Lind since the reorganisation."),
)
UNWORDED_SHARE = 95  # percentile of the similarities of general requests to the most similar statement
FACTS_SHARE = 0.75  # of the lowest similarity of a question to its answer: real questions are asked less directly


def suggest_floors(answers: list[float], goals: list[float]) -> Floors:
    """Floors from calibrated similarities.

    ``answers``: of questions to the statements that answer them.  ``goals``: of different tasks to one another.
    """
    return Floors(facts=round(FACTS_SHARE * min(answers), 2), episodes=round(max(goals), 1))


async def measure(model: str, data: Path | None) -> None:
    async with open_embedder(model) as embedder:
        texts = [*UNRELATED, *(text for pair in PARAPHRASES for text in pair)]
        rows = await embedder.embed(texts, role="passage")
        profile = calibrate_profile(embedder.profile.name, rows)
        used = embedder.profile
        print(f"profile {used.name}: unrelated {profile.unrelated}, near_duplicate {profile.near_duplicate}")
        questions = await embedder.embed([question for question, _ in ANSWERED], role="query")
        statements = await embedder.embed([answer for _, answer in ANSWERED], role="passage")
        cosines = questions @ statements.T
        answers = [used.calibrate(float(cosine)) for cosine in np.diag(cosines)]
        others = [used.calibrate(float(cosine)) for cosine in cosines[~np.eye(len(ANSWERED), dtype=bool)]]
        tasks = rows[: len(UNRELATED)] @ rows[: len(UNRELATED)].T
        goals = [used.calibrate(float(cosine)) for cosine in tasks[np.triu_indices(len(tasks), k=1)]]
        print(f"answers: lowest {min(answers):.2f}, median {np.median(answers):.2f}")
        print(f"other statements: highest {max(others):.2f}")
        print(f"suggested {suggest_floors(answers, goals)}\nin use    {floors_of(used)}")
        for language, requests in REQUESTS.items():
            asked = await embedder.embed(requests, role="query")
            said = await embedder.embed([f"User: {text}" for text in STATEMENTS[language]], role="passage")
            best = [used.calibrate(float(cosine)) for cosine in (asked @ said.T).max(axis=1)]
            print(f"unworded {language}: {np.percentile(best, UNWORDED_SHARE):.2f}")
        if data is not None:
            await _check(embedder, data)


async def _check(embedder: CachedEmbedder, data: Path) -> None:
    transcripts = read_asked_transcripts(data)
    async with open_bank(embedder) as bank:
        for transcript in transcripts:
            await bank.add(transcript)

        async def abstained(asked: Asked, scope: Scope) -> bool:
            return (await bank.retriever.retrieve(scope, RetrievalQuery(question=asked.text, rerank="off"))).abstained

        own = foreign = total = 0
        for place, transcript in enumerate(transcripts):
            neighbour = transcripts[(place + 1) % len(transcripts)]
            for asked in transcript.questions:
                if asked.evidence and asked.category != "5":
                    total += 1
                    own += await abstained(asked, bank.scope(transcript))
                    foreign += await abstained(asked, bank.scope(neighbour))
    print(f"questions {total}: no memories for {own / total:.1%}; asked to another person's memory, for {foreign / total:.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.calibrate", description=__doc__)
    parser.add_argument("--embeddings", default="", help="name in the catalogue; default: the model that the stack would use")
    parser.add_argument("--data", type=Path, default=None, help="a LoCoMo file")
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.embeddings, arguments.data))


if __name__ == "__main__":
    main()
