"""An agent of Google ADK is shown what an earlier session said.

    pip install 'trustgraph-react-mem[local]' google-adk

Copy ``MemoryService`` into your program.  Users and applications do not see one another's memories.  The model is a script, and
the embedder a stand-in, so that the example needs no key and no network.
"""

import asyncio
import tempfile

from google.adk.agents import LlmAgent
from google.adk.memory import BaseMemoryService
from google.adk.memory.base_memory_service import SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import preload_memory
from google.genai.types import Content, Part

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.testing import HashedEmbedder


def user_message(text):
    return Content(role="user", parts=[Part(text=text)])


class MemoryService(BaseMemoryService):
    """A session that is added again is not learned twice: the id of an event is the id of its message."""

    def __init__(self, memory):
        self.memory = memory

    async def add_session_to_memory(self, session):
        said = [
            {"id": event.id, "role": "user" if event.author == "user" else "assistant", "content": event.content.parts[0].text}
            for event in session.events
            if event.content and event.content.parts[0].text
        ]
        await self.memory.shared(user=session.user_id, collection=session.app_name).add(said, conversation=session.id)

    async def search_memory(self, *, app_name, user_id, query):
        found = await self.memory.shared(user=user_id, collection=app_name).retrieve(query, limit=5)
        return SearchMemoryResponse(memories=[MemoryEntry(content=user_message(entry.content)) for entry in found])


class ScriptedLlm(BaseLlm):
    """Repeats what it was shown of memory."""

    async def generate_content_async(self, llm_request, stream=False):
        shown = "\n".join(part.text or "" for content in llm_request.contents for part in content.parts or [])
        past = shown.partition("<PAST_CONVERSATIONS>\n")[2].partition("\n</PAST")[0]
        yield LlmResponse(content=Content(role="model", parts=[Part(text=past or "Noted.")]))


async def main():
    with tempfile.TemporaryDirectory() as folder:
        async with MemoryManager.open(folder, user="app", embedder=HashedEmbedder(64)) as memory:
            service, sessions = MemoryService(memory), InMemorySessionService()
            agent = LlmAgent(name="helper", model=ScriptedLlm(model="scripted"), tools=[preload_memory])
            runner = Runner(app_name="pets", agent=agent, session_service=sessions, memory_service=service)
            for text in ("My dog Miso is allergic to chicken.", "What is my dog Miso allergic to?"):
                own = await sessions.create_session(app_name="pets", user_id="ana")
                async for event in runner.run_async(user_id="ana", session_id=own.id, new_message=user_message(text)):
                    print(event.content.parts[0].text)
                own = await sessions.get_session(app_name="pets", user_id="ana", session_id=own.id)
                await service.add_session_to_memory(own)


asyncio.run(main())
