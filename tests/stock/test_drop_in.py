"""Ours in the stock agent's place behind the stock gateway: the same dialogue, then what stock does not have."""

from typing import Any

import pytest

from .conftest import Pair, answer_of
from .trustgraph import PATIENCE_S, STOCK, Message, run

pytestmark = [
    pytest.mark.stock,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.parametrize(
        "pair", ["embedded", pytest.param("servers", marks=pytest.mark.servers)], indirect=True, scope="session"
    ),
]

QUESTIONS = ("What is the capital of France?", "TOOL", "TEMPLATE", "MCP", "KNOWLEDGE", "STRUCTURED", "ROWS")
"""One for each tool type that works in stock (``tool-service`` does not: see the pitfalls), and one without a tool."""

WITH_TRUSTGRAPHS_PYTHON = """
import sys
from trustgraph.api import Api
flow = Api(sys.argv[1], workspace="default").socket().flow("mem")
for question in ("My boat Gudrun lies in Bergen.", "Where does Gudrun lie?"):
    chunks = flow.agent(question, streaming=True, conversation_id="boats")
    print("".join(chunk.content for chunk in chunks if chunk.message_type == "final-answer"))
"""


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streaming"])
@pytest.mark.parametrize("question", QUESTIONS)
async def test_with_memory_off_the_dialogue_is_the_stock_one(pair: Pair, question: str, streaming: bool) -> None:
    await pair.settings(enable_memory=False)
    stock, ours = await pair.both({"question": f"{question} capital?", "streaming": streaming})
    assert ours == stock


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streaming"])
async def test_with_memory_on_the_stock_messages_come_in_the_stock_order(pair: Pair, streaming: bool) -> None:
    """Beside them there are two explanations, of what was recalled and what was cited; the answer holds no citations."""
    await pair.settings(enable_memory=True)
    await pair.trustgraph.ask("mem", {"question": "TOOL capital of France?"})
    stock, ours = await pair.both({"question": "TOOL capital of France?", "streaming": streaming})
    own = [message for message in ours if message.get("explain_id", "").endswith(("/recall", "/cited"))]
    assert [message for message in ours if message not in own] == stock
    assert [message["explain_id"].rpartition("/")[2] for message in own] in (["recall"], ["recall", "cited"])


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"group": ["special"], "state": "second"},
        {"group": ["stepwise"], "state": "second"},
        {"group": ["stepwise"]},
        {"group": ["*"], "state": ""},
        {"group": ["*"], "state": "second"},
        {"group": ["none"]},
    ],
    ids=str,
)
async def test_tool_groups_and_states_choose_the_same_tools(pair: Pair, request_: dict[str, Any]) -> None:
    await pair.settings(enable_memory=False)
    request: Message = {"question": "capital?", **request_}
    assert await pair.offered("mem", request) == await pair.offered("stock", request)


async def test_a_stock_client_with_a_conversation_id_gets_memory_across_conversations(pair: Pair) -> None:
    await pair.settings(enable_memory=True)
    told = "My sister Ottilie keeps seven hedgehogs in Tromso."
    await pair.trustgraph.ask("mem", {"question": told, "conversation_id": "monday"})
    await recalls(pair, "Where does Ottilie keep hedgehogs?", "Tromso", conversation="tuesday")
    messages = await pair.trustgraph.ask(
        "mem", {"question": "Where does Ottilie keep hedgehogs?", "conversation_id": "wednesday"}
    )
    assert answer_of(messages) == "Paris is the capital of France."  # the model cited [0]: the client does not see it


MEMORIES = ("<memories>", "</memories>")
EXCHANGES = ("This conversation so far:", "Question:")


async def recalls(pair: Pair, question: str, word: str, *, conversation: str = "", part: tuple[str, str] = MEMORIES) -> str:
    """The prompt, once that part of it holds the word: recording goes on after the answer."""
    prompt = ""

    async def recalled() -> bool:
        nonlocal prompt
        await pair.trustgraph.ask("mem", {"question": question, "conversation_id": conversation})
        prompt = await pair.last_prompt()
        task = prompt.rpartition("End of the example.")[2]
        return word in task.partition(part[0])[2].partition(part[1])[0]

    await pair.trustgraph.until(recalled, f"the memory of {word}", PATIENCE_S)
    return prompt


async def test_our_prompt_is_rendered_whole_by_the_stock_prompt_service(pair: Pair) -> None:
    await pair.settings(enable_memory=True)
    await pair.trustgraph.ask("mem", {"question": "My cat Mia sleeps in the oven.", "conversation_id": "cats"})
    await recalls(pair, "Where does Mia sleep?", "oven", conversation="more cats")
    asked = "TOOL and where does Mia sleep?"
    sent = await recalls(pair, asked, "User: Where does Mia sleep?", conversation="more cats", part=EXCHANGES)
    assert sent.startswith("You are a helpful assistant.")  # the workspace's own system prompt
    assert "{{" not in sent
    assert "{%" not in sent
    task = sent.rpartition("End of the example.")[2]
    parts = (
        'Tools:\n- ask: About ask\n    "question" (string): ',
        "- retrieve-facts: ",
        "Today is ",
        "<memories>\n- Memory [0]: ",
        "</memories>",
        "This conversation so far:\n- User: Where does Mia sleep?\n  You: Paris is the capital of France.",
        "Your steps for this question:\nThought: I should use ask.\nAction: ask\n",
        'Args: {"question": "capital of France?"}\nObservation: Paris is the capital of France.',
        "Question: TOOL and where does Mia sleep?",
    )
    places = [task.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)] + "\n" + task
    assert places == sorted(places)


@pytest.mark.parametrize(
    "options",
    [(), ("--no-streaming",), ("-v",), ("-v", "--no-streaming"), ("-x",), ("-g", "special", "-s", "second")],
    ids=" ".join,
)
async def test_the_stock_command_line_prints_the_same(pair: Pair, options: tuple[str, ...]) -> None:
    await pair.settings(enable_memory=False)
    question = "capital?" if "-g" in options else "TOOL capital?"  # that group has not the tool
    printed = [
        await pair.trustgraph.command(
            "tg-invoke-agent", "-u", pair.trustgraph.gateway_url, "-f", flow, "-q", question, *options
        )
        for flow in ("stock", "mem")
    ]
    assert "Paris is the capital of France." in printed[1]
    if "-x" not in options:  # the explained trace names sessions and tells more here
        # without the white space, of which stock loses some where a thought ends while streaming
        assert "".join(printed[1].split()) == "".join(printed[0].split())


async def test_trustgraphs_python_interface_carries_the_conversation(pair: Pair) -> None:
    await pair.settings(enable_memory=True)
    _, said = await run(STOCK / "python", "-c", WITH_TRUSTGRAPHS_PYTHON, pair.trustgraph.gateway_url)
    assert said.splitlines() == ["Paris is the capital of France."] * 2
    await recalls(pair, "And where does Gudrun sail?", "Where does Gudrun lie?", conversation="boats", part=EXCHANGES)


async def test_switching_a_flow_there_and_back_loses_nothing(pair: Pair) -> None:
    trustgraph = pair.trustgraph
    await pair.settings(enable_memory=True)
    await trustgraph.ask("mem", {"question": "My aunt Petra builds clocks in Jena.", "conversation_id": "clocks"})
    for blueprint in ("plain", "plain-mem"):
        await trustgraph.stop_flow("mem")
        await trustgraph.start_flow("mem", over=blueprint)
        await trustgraph.answers("mem")
    await recalls(pair, "Where does Petra build clocks?", "Jena", conversation="more clocks")
