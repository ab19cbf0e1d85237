"""An agent of Google ADK is shown what an earlier session said.

    pip install 'trustgraph-react-mem[local]' google-adk

Copy ``MemoryService`` into your program.  The model is a script, and the embedder a stand-in: no key and no network is needed.
"""

import asyncio
import tempfile

from google.adk.agents import LlmAgent
from google.adk.memory.base_memory_service import BaseMemoryService, MemoryEntry, SearchMemoryResponse
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools import preload_memory
from google.genai.types import ModelContent, UserContent

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.testing import HashedEmbedder


class MemoryService(BaseMemoryService):
    """Each user of each application has a memory.  Of a session that is added again, only new events are stored."""

    def __init__(self, memory):
        self.memory = memory

    async def add_session_to_memory(self, session):
        said = [(e.id, e.author, e.content.parts[0].text) for e in session.events if e.content and e.content.parts]
        said = [{"id": key, "role": "user" if by == "user" else "assistant", "content": text} for key, by, text in said if text]
        await self.memory.shared(user=session.user_id, collection=session.app_name).add(said, conversation=session.id)

    async def search_memory(self, *, app_name, user_id, query):
        found = await self.memory.shared(user=user_id, collection=app_name).retrieve(query, limit=5)
        return SearchMemoryResponse(memories=[MemoryEntry(content=UserContent(entry.content)) for entry in found])


class ScriptedLlm(BaseLlm):
    """Repeats what it was shown of memory."""

    async def generate_content_async(self, llm_request, stream=False):
        shown = "\n".join(part.text or "" for content in llm_request.contents for part in content.parts or [])
        past = shown.partition("<PAST_CONVERSATIONS>\n")[2].partition("\n</PAST")[0]
        yield LlmResponse(content=ModelContent(past or "Noted."))


async def main():
    with tempfile.TemporaryDirectory() as folder:
        async with MemoryManager.open(folder, user="app", embedder=HashedEmbedder(64)) as memory:
            agent = LlmAgent(name="helper", model=ScriptedLlm(model="scripted"), tools=[preload_memory])
            agent.after_agent_callback = lambda callback_context: callback_context.add_session_to_memory()
            runner = InMemoryRunner(agent, app_name="pets")
            runner.memory_service = MemoryService(memory)
            for text in ("My dog Miso is allergic to chicken.", "What is my dog Miso allergic to?"):
                session = await runner.session_service.create_session(app_name="pets", user_id="ana")
                async for event in runner.run_async(user_id="ana", session_id=session.id, new_message=UserContent(text)):
                    print(event.content.parts[0].text)


asyncio.run(main())
