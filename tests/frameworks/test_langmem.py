"""LangMem's tools and LangGraph's agents work on the store."""

import json
from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langmem import create_manage_memory_tool, create_search_memory_tool

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.frameworks.langgraph import MemoryStore


class Scripted(GenericFakeChatModel):
    """A chat model whose answers are given; its tools are called as the answers say."""

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "Scripted":
        return self


async def test_langmem_s_tools_write_facts_and_find_them(memory: MemoryManager) -> None:
    store = MemoryStore(memory, users=("memories", "{user}"))
    config: RunnableConfig = {"configurable": {"langgraph_user_id": "lm-ana"}}
    manage, search = (
        make(namespace=("memories", "{langgraph_user_id}"), store=store)
        for make in (create_manage_memory_tool, create_search_memory_tool)
    )
    said = await manage.ainvoke({"content": "Miso the dog is allergic to chicken."}, config=config)
    key = said.split()[-1]
    [found] = json.loads(await search.ainvoke({"query": "What is Miso allergic to?"}, config=config))
    assert found["key"] == key
    assert found["value"] == {"content": "Miso the dog is allergic to chicken."}
    own = memory.shared(user="lm-ana")
    assert [each.content for each in await own.retrieve("Miso allergic")] == ["Miso the dog is allergic to chicken."]
    await manage.ainvoke({"action": "update", "id": key, "content": "Miso the dog eats all."}, config=config)
    assert [each.content for each in await own.retrieve("Miso eats")] == ["Miso the dog eats all."]
    await manage.ainvoke({"action": "delete", "id": key}, config=config)
    assert await own.retrieve("Miso eats") == []


async def test_an_agent_with_the_store_remembers_through_its_tools(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    tools: list[BaseTool] = [
        create_manage_memory_tool(namespace=("memories",)),
        create_search_memory_tool(namespace=("memories",)),
    ]
    call = {"name": "manage_memory", "args": {"content": "The user lives in Porto.", "action": "create"}, "id": "1"}
    ask = {"name": "search_memory", "args": {"query": "Where does the user live?"}, "id": "2"}
    model = Scripted(
        messages=iter(
            [AIMessage("", tool_calls=[call]), AIMessage("Noted."), AIMessage("", tool_calls=[ask]), AIMessage("Porto.")]
        )
    )
    agent = create_agent(model, tools, store=store)
    await agent.ainvoke({"messages": [HumanMessage("I live in Porto.")]})
    done = await agent.ainvoke({"messages": [HumanMessage("Where do I live?")]})
    [result] = [message for message in done["messages"] if isinstance(message, ToolMessage)]
    assert "The user lives in Porto." in str(result.content)
    assert [each.content for each in await memory.retrieve("lives in Porto")] == ["The user lives in Porto."]
