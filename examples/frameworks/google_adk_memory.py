"""An agent of Google ADK is shown what an earlier session said.

    pip install 'trustgraph-react-mem[local,google-adk]'

The model is a script, and the embedder a stand-in, so that the example needs no key and no network.
"""

import asyncio
import tempfile

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import preload_memory
from google.genai.types import Content, Part

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.frameworks.google_adk import MemoryService
from trustgraph_react_mem.testing import HashedEmbedder


class ScriptedLlm(BaseLlm):
    """Repeats what it was shown of memory."""

    async def generate_content_async(self, llm_request, stream=False):
        shown = "\n".join(part.text or "" for content in llm_request.contents for part in content.parts or [])
        past = shown.partition("<PAST_CONVERSATIONS>\n")[2].partition("\n</PAST")[0]
        yield LlmResponse(content=Content(role="model", parts=[Part(text=past or "Noted.")]))


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with MemoryManager.open(folder, user="app", embedder=HashedEmbedder(64)) as memory:
            service, sessions = MemoryService(memory), InMemorySessionService()
            agent = LlmAgent(name="helper", model=ScriptedLlm(model="scripted"), tools=[preload_memory])
            runner = Runner(app_name="pets", agent=agent, session_service=sessions, memory_service=service)
            for name, text in (("one", "My dog Miso is allergic to chicken."), ("two", "What is my dog Miso allergic to?")):
                await sessions.create_session(app_name="pets", user_id="ana", session_id=name)
                message = Content(role="user", parts=[Part(text=text)])
                async for event in runner.run_async(user_id="ana", session_id=name, new_message=message):
                    print(event.content.parts[0].text)
                await service.add_session_to_memory(await sessions.get_session(app_name="pets", user_id="ana", session_id=name))


asyncio.run(main())
