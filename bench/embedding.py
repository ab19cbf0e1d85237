"""Measures an embedding model: ``python -m bench embedding [NAME]``.

NAME: a model of the catalogue.  Default: the model that the stack would use.  Prints

- the cosines of related and unrelated texts, and the speed of both forms of the model;
- the profile and the floors for ``memory/embedding_models.toml``.  They come from ``models/calibration.py``,
  from ``ANSWERED`` (what people say) and, by language, from ``general_requests.tsv`` (requests that are about no person);
- by language, the share of questions about twelve English statements whose statement is first (``cross_language.tsv``).
"""

import argparse
import asyncio
import csv
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from trustgraph_react_mem.memory.ports import Embedder
from trustgraph_react_mem.models.calibration import PARAPHRASES, SENTENCES, UNRELATED, calibrate_profile, unrelated_mean
from trustgraph_react_mem.models.embedding_model import EmbeddingModel
from trustgraph_react_mem.models.onnx_embedder import OnnxEmbedder
from trustgraph_react_mem.models.store import models_folder

from .bank import open_embedder
from .row import percentile
from .sentences import questions, sentences

HERE = Path(__file__).parent
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


# The texts of each pair share nearly all words but differ in meaning: a duplicate threshold must keep them apart.
NEAR_MISSES = (
    ("Maria is allergic to peanuts.", "Maria is allergic to shellfish."),
    ("Tom moved to Lisbon in 2019.", "Tom moved to Madrid in 2021."),
    ("The user prefers answers in German.", "The user prefers answers in bullet points."),
    ("Sam has two cats called Miso and Udon.", "Sam has a dog called Ramen."),
    ("The meeting was moved from Monday to Wednesday.", "The meeting on Monday was cancelled."),
    ("The invoice must be paid within 30 days.", "The invoice was paid after 12 days."),
    ("Ana works as a nurse in a children's hospital.", "Ana works as a teacher in a primary school."),
    ("The nightly backup failed because the disk was full.", "The nightly backup succeeded after the disk was replaced."),
)

ASKED, BANK = 100, 400


def suggest_floors(answers: list[float], goals: list[float]) -> dict[str, float]:
    """Floors from calibrated similarities.

    ``answers``: of questions to the statements that answer them.  ``goals``: of different tasks to one another.
    """
    return {"fact_floor": round(FACTS_SHARE * min(answers), 2), "episode_floor": round(max(goals), 1)}


async def print_speed(embedder: EmbeddingModel) -> None:
    took = []
    for question in questions(ASKED + 10, seed=9):
        began = time.perf_counter()
        await embedder.embed([question], role="query")
        took.append((time.perf_counter() - began) * 1000)
    texts = [f"{said.speaker}: {said.text}" for said in sentences(BANK, seed=9)]
    began = time.perf_counter()
    await embedder.embed(texts, role="passage")
    rate = BANK / (time.perf_counter() - began)
    print(f"{embedder.where}: a question {percentile(took[10:], 50):.1f} ms, {rate:.0f} texts per second in batches")


async def cosines(embedder: Embedder) -> tuple[float, Sequence[float], Sequence[float]]:
    """Mean cosine of unrelated texts, cosines of paraphrases, and cosines of texts with similar words but other meaning."""
    rows = await embedder.embed(list(UNRELATED), role="passage")
    alike = []
    for group in (PARAPHRASES, NEAR_MISSES):
        found = await embedder.embed([text for pair in group for text in pair], role="passage")
        alike.append(np.einsum("nd,nd->n", found[::2], found[1::2]).tolist())
    return unrelated_mean(rows), alike[0], alike[1]


async def measure_forms(embedder: EmbeddingModel) -> None:
    """Cosines, and the speed of the model as the stack uses it and, if it is there, in its unquantised form."""
    unrelated, same, near = await cosines(embedder)
    print(
        f"{embedder.profile.name}: unrelated {unrelated:.2f}, same in other words {min(same):.2f} to {max(same):.2f}, "
        f"nearly the same words {min(near):.2f} to {max(near):.2f}"
    )
    await print_speed(embedder)
    folder = models_folder() / embedder.profile.name
    if isinstance(embedder, OnnxEmbedder) and "int8" in embedder.where and (folder / "model.onnx").is_file():
        published = OnnxEmbedder(embedder.profile, folder / "model.onnx", folder / "tokenizer.json")
        await print_speed(published)
        await published.close()


async def measure_profile(embedder: Embedder) -> None:
    used = embedder.profile
    rows = await embedder.embed(SENTENCES, role="passage")
    profile = calibrate_profile(used.name, rows)
    print(f"profile {used.name}: unrelated {profile.unrelated}, near_duplicate {profile.near_duplicate}")
    asked = await embedder.embed([question for question, _ in ANSWERED], role="query")
    statements = await embedder.embed([answer for _, answer in ANSWERED], role="passage")
    cosines = asked @ statements.T
    answers = [used.calibrate(float(cosine)) for cosine in np.diag(cosines)]
    others = [used.calibrate(float(cosine)) for cosine in cosines[~np.eye(len(ANSWERED), dtype=bool)]]
    tasks = rows[: len(UNRELATED)] @ rows[: len(UNRELATED)].T
    goals = [used.calibrate(float(cosine)) for cosine in tasks[np.triu_indices(len(tasks), k=1)]]
    print(f"answers: lowest {min(answers):.2f}, median {np.median(answers):.2f}")
    print(f"other statements: highest {max(others):.2f}")
    print(f"suggested {suggest_floors(answers, goals)}\nin use    {used}")


async def measure_languages(embedder: Embedder) -> None:
    texts: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for language, kind, text in _table("general_requests.tsv"):
        texts[language][kind].append(text)
    for language, of in texts.items():
        asked = await embedder.embed(of["request"], role="query")
        said = await embedder.embed([f"User: {text}" for text in of["statement"]], role="passage")
        best = [embedder.profile.calibrate(float(cosine)) for cosine in (asked @ said.T).max(axis=1)]
        print(f"unworded {language}: {np.percentile(best, UNWORDED_SHARE):.2f}")
    by_language: dict[str, list[str]] = defaultdict(list)
    for language, text in _table("cross_language.tsv"):
        by_language[language].append(text)
    bank = await embedder.embed(by_language.pop("bank"), role="passage")
    for language, about in by_language.items():
        best_rows = (await embedder.embed(about, role="query") @ bank.T).argmax(axis=1)
        print(f"first, asked in {language}: {np.mean(best_rows == np.arange(len(about))):.0%}")


def _table(name: str) -> list[list[str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return [row for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row]


async def measure(name: str) -> None:
    async with open_embedder(name) as embedder:
        await measure_forms(embedder)
        await measure_profile(embedder)
        await measure_languages(embedder)


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", default="", help="a name of the catalogue")
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.name))
