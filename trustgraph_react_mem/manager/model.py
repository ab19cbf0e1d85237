"""``LanguageModel`` over a chat model of this process, for background work without a bus."""

import os
from collections.abc import Mapping

from ..errors import BadRequest
from ..extras import PROMPTS, require
from ..memory.ports import Completion, JsonValue
from ..memory.text.reasoning import without_reasoning
from ..models.chat import ChatModel, ChatRequest
from ..models.endpoint import choose_chat_model
from ..processors.operations.prompt_templates import WorkspacePrompts


class LocalLanguageModel:
    def __init__(self, model: ChatModel) -> None:
        self.chat = model
        self._prompts = WorkspacePrompts()

    async def prompt(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        """Raises: ModelUnavailable, ModelAnswerError."""
        prompt = self._prompts.prompt(prompt_id)
        structured = prompt.response_type == "json"
        asked = ChatRequest(
            system=self._prompts.system(variables),
            prompt=prompt.render(variables),
            schema=prompt.schema if structured else None,
            json=structured,
        )
        piece = await self.chat.complete(asked)
        text, value = (without_reasoning(piece.text), None) if prompt.response_type == "text" else ("", prompt.read(piece.text))
        return Completion(text=text, object=value, model=piece.model, in_tokens=piece.in_tokens, out_tokens=piece.out_tokens)


async def open_language_model(choice: str | ChatModel) -> LocalLanguageModel | None:
    """``choice``: a model, one of ``REACT_MEM_MODEL``'s values, or "": the one that the environment names, else none.

    Raises: as ``choose_chat_model``; MissingPackage (templates of prompts).
    """
    if isinstance(choice, str):
        named = choice or os.environ.get("REACT_MEM_MODEL", "")
        if not named and not (os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_KEY")):
            return None  # an Ollama or a local model that merely exists was not chosen by anyone
        chat = await choose_chat_model(named or None)
        if chat is None:
            return None
    else:
        if not hasattr(choice, "complete"):
            raise BadRequest(f"the model is {choice!r:.80}: pass its name, 'none' or a chat model")
        chat = choice
    require("extraction with a language model", *PROMPTS, otherwise="open the memory with model='none'")
    return LocalLanguageModel(chat)
