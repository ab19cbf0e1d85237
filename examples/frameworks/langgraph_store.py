"""An agent of LangGraph with LangMem's tools remembers a person in another conversation.

    pip install 'trustgraph-react-mem[local]' 'langgraph-checkpoint>=4.3,<5' langgraph langchain langmem

The model is a script, and the embedder a stand-in, so that the example needs no key and no network.
"""

import asyncio
import tempfile

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langmem import create_manage_memory_tool, create_search_memory_tool

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.frameworks.langgraph import MemoryStore
from trustgraph_react_mem.testing import HashedEmbedder


class ScriptedChat(GenericFakeChatModel):
    def bind_tools(self, tools, **kwargs):
        return self


ANSWERS = [
    AIMessage("", tool_calls=[{"name": "manage_memory", "args": {"content": "Ana lives in Porto."}, "id": "1"}]),
    AIMessage("Noted."),
    AIMessage("", tool_calls=[{"name": "search_memory", "args": {"query": "Where does Ana live?"}, "id": "2"}]),
    AIMessage("You live in Porto."),
]


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with MemoryManager.open(folder, user="app", embedder=HashedEmbedder(64)) as memory:
            store = MemoryStore(memory, users=("memories", "{user}"))
            space = ("memories", "{langgraph_user_id}")
            tools = [create_manage_memory_tool(namespace=space), create_search_memory_tool(namespace=space)]
            agent = create_agent(ScriptedChat(messages=iter(ANSWERS)), tools, store=store)
            config = {"configurable": {"langgraph_user_id": "ana"}}
            for question in ("I live in Porto.", "Where do I live?"):
                done = await agent.ainvoke({"messages": [("user", question)]}, config)
                print(done["messages"][-1].content)
            # The same memory, without LangGraph: any agent of this user recalls it.
            for found in await memory.shared(user="ana").retrieve("Where does Ana live?"):
                print("recalled:", found.content)


asyncio.run(main())
