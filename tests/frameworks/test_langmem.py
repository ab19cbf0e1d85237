"""LangMem's tools and LangGraph's agents work on the store."""

import json

from langchain_core.runnables import RunnableConfig
from langmem import create_manage_memory_tool, create_search_memory_tool

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.frameworks.langgraph import MemoryStore


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
