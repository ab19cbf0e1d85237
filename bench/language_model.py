"""A chat model with this package's prompts, for the agent and for background jobs, without a bus."""

from collections.abc import Mapping

from trustgraph_react_mem.memory.ports import Completion, JsonValue
from trustgraph_react_mem.models.chat import ChatModel, ChatPiece, ChatRequest
from trustgraph_react_mem.processors.agent.model import OnText, Reply
from trustgraph_react_mem.processors.operations.prompt_templates import Prompt, WorkspacePrompts
from trustgraph_react_mem.turn.events import Usage


class PromptedModel:
    """``ReactModel`` and ``LanguageModel`` in one."""

    def __init__(self, model: ChatModel, *, temperature: float = 0.0) -> None:
        self.model = model
        self._temperature = temperature
        self._prompts = WorkspacePrompts()

    async def ask(self, prompt_id: str, variables: Mapping[str, JsonValue], on_text: OnText | None) -> Reply:
        _, piece = await self._completed(prompt_id, variables)
        return Reply(text=piece.text, usage=Usage(in_tokens=piece.in_tokens, out_tokens=piece.out_tokens, model=piece.model))

    async def prompt(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        """Raises: ModelAnswerError (the answer is not the JSON that the prompt asks for)."""
        prompt, piece = await self._completed(prompt_id, variables)
        return Completion(
            text=piece.text,
            object=None if prompt.response_type == "text" else prompt.read(piece.text),
            in_tokens=piece.in_tokens,
            out_tokens=piece.out_tokens,
            model=piece.model,
        )

    async def _completed(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> tuple[Prompt, ChatPiece]:
        prompt = self._prompts.prompt(prompt_id)
        request = ChatRequest(
            system=self._prompts.system(variables),
            prompt=prompt.render(variables),
            temperature=self._temperature,
            schema=prompt.schema if prompt.response_type == "json" else None,
            json=prompt.response_type == "json",
        )
        return prompt, await self.model.complete(request)
