"""Learning from the citations of a language model, beside learning from those of an oracle, on the same questions.

Each question is ranked with what was learned so far, the model answers it with the records shown, and its citations are learned
from.  Answers are kept in a file, so that a stopped run continues, and orders that learning did not change cost no second call.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from trustgraph_react_mem.models.chat import ChatModel
from trustgraph_react_mem.recall.records import Recalled
from trustgraph_react_mem.rerank import CALIBRATED, Experience, Weights, learn, rank
from trustgraph_react_mem.schema import Fact

from .answering import ANSWERS_FILE, Asked, KeptAnswers, recalled_with, sample
from .coverage import SHOWN, Answered
from .gains import by_method, gains
from .methods import DEFAULT, RANKED, Found, Ground, answered

CITED_FILE = "cited.jsonl"
BY_MODEL, BY_ORACLE = "default+learning, cited by the model", "default+learning, cited by the oracle, same questions"


async def learned_from_answers(
    grounds: Sequence[Ground], found: Mapping[str, Sequence[Found]], chat: ChatModel, count: int, out: Path
) -> list[Answered]:
    """Rows of ``BY_MODEL`` and ``BY_ORACLE``.

    ``found``: candidates by transcript.  ``count``: questions.  ``out``: folder of the answers.  Raises: ModelUnavailable.
    """
    rows: list[Answered] = []
    answers = KeptAnswers(chat, out / CITED_FILE, out / ANSWERS_FILE)
    profile = next(iter(grounds)).bank.index.profile
    for ground in grounds:
        items = {item.number: item for item in found[ground.transcript.id]}
        asked = [each for each in sample(grounds, count) if each.ground is ground]
        for method in (BY_MODEL, BY_ORACLE):
            weights = Weights.start(CALIBRATED, profile=profile.name, dimension=profile.dimension)
            for place, each in enumerate(asked):
                item = items[each.number]
                ranking = rank(weights, item.vector, item.candidates, top_m=SHOWN)
                half = "first" if place < len(asked) / 2 else "second"
                rows.append(answered(ground, method, item, ranking.order, half=half, place=place))
                recalled = await _recalled(each, [item.candidates.ids[row] for row in ranking.selected])
                shown = tuple(item.candidates.ids.index(fact.id) for fact in recalled.facts)
                if method == BY_MODEL:
                    answer = await answers.answer(each, recalled)
                    if answer["citation"] not in ("cited", "none"):
                        continue  # nothing is learned from answers without citations
                    cited = tuple(answer["cited"])
                else:
                    cited = tuple(at for at, row in enumerate(shown) if item.turns[row].intersection(item.asked.evidence))
                experience = Experience(
                    job_id=f"{ground.transcript.id} {item.number}",
                    query=item.vector,
                    candidates=item.candidates,
                    shown=shown,
                    cited=cited,
                    state="cited" if cited else "none",
                )
                weights, _ = learn(weights, experience)
    return rows


async def _recalled(asked: Asked, shown: Sequence[str]) -> Recalled:
    found = await asked.ground.ask(asked.number, asked.question, top_k=RANKED)
    by_id: dict[str, Fact] = {fact.id: fact for fact in found.facts}
    return recalled_with(asked, [by_id[each] for each in shown if each in by_id])


def learning_summary(rows: Sequence[Answered]) -> dict[str, object]:
    """What learning adds on the questions that were answered, by whose citations were learned from."""
    found = by_method(rows)
    return {
        name: {"questions": len(found[name]), **gains(found[name], found[DEFAULT])}
        for name in (BY_MODEL, BY_ORACLE)
        if found.get(name)
    }
