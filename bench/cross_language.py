"""Questions in one language about memories in another: ``python -m bench.cross_language [NAME]``.

Twelve statements in English form the bank.  The same twelve questions are asked in each language of the table, and the share of
questions whose statement is first, by embeddings alone, is printed.  NAME: a model of the catalogue.  Default: the model that
the stack would use.
"""

import argparse
import asyncio
from pathlib import Path

from trustgraph_react_mem.models.embedder import embedder_of, open_embedding_model

TABLE = Path(__file__).parent / "cross_language.tsv"


def read_table(path: Path = TABLE) -> tuple[list[str], dict[str, list[str]]]:
    """The statements, and the questions about them by language, in the same order."""
    rows = [row.split("\t") for row in path.read_text("utf-8").splitlines() if row]
    bank = [text for language, text in rows if language == "bank"]
    asked: dict[str, list[str]] = {}
    for language, text in rows:
        if language != "bank":
            asked.setdefault(language, []).append(text)
    return bank, asked


async def measure(model: str = "") -> dict[str, float]:
    """Share (0 to 1) of the questions whose statement is first, by language."""
    bank, asked = read_table()
    embedding = await open_embedding_model(model or None)
    embedder = embedder_of(embedding)
    statements = await embedder.embed(bank, role="passage")
    found = {}
    for language, questions in asked.items():
        vectors = await embedder.embed(questions, role="query")
        best = (vectors @ statements.T).argmax(axis=1)
        found[language] = sum(int(place == at) for at, place in enumerate(best)) / len(questions)
    await embedding.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", default="", help="name in the catalogue")
    for language, share in asyncio.run(measure(parser.parse_args().model)).items():
        print(f"{language}  {share:.0%}")


if __name__ == "__main__":
    main()
