"""Language model calls of background jobs.

Each call respects the scope's daily token budget.  An answer in the wrong format is requested a second time, with the error
message in the prompt.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from ..errors import BudgetExhausted, ModelAnswerError, NoModel, RequestRefused
from ..memory.model_json import read_items
from ..memory.ports import Clock, Completion, JobStore, JsonValue, LanguageModel
from ..memory.scope import Scope
from ..memory.tokens import count_tokens

logger = logging.getLogger(__name__)
T = TypeVar("T")

#: Origin of a result: the model; the fallback because no model is configured; the fallback because its answers were unusable.
Source = Literal["model", "local", "unusable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundModel:
    """The language model for one job.  ``daily_tokens``: the scope's token budget per UTC day; 0 = no limit."""

    model: LanguageModel | None
    job_store: JobStore
    clock: Clock
    scope: Scope
    daily_tokens: int

    async def ask(self, prompt_id: str, variables: Mapping[str, JsonValue], check: Callable[[Completion], T]) -> T:
        """Run a prompt and return ``check(completion)``.

        ``check`` converts the completion, or raises ValueError with a message for the model if the format is wrong.  The prompt
        is then run once more with that message.

        Raises:
            ModelUnavailable: it does not answer; NoModel: none is configured.
            ModelAnswerError: the second answer had the wrong format, too.
            RequestRefused: the model does not process this prompt.
            BudgetExhausted: the scope's tokens for today are used up.
        """
        if self.model is None:
            raise NoModel("no language model is configured for background work: configure one for this flow")
        try:
            return check(await self._complete(self.model, prompt_id, {**variables, "repair": ""}))
        except (ValueError, ModelAnswerError) as error:
            if isinstance(error, ModelAnswerError) and error.corrected:
                raise
            reason = str(error) if isinstance(error, ValueError) else "it was not valid JSON"
        repair = f"Your last answer could not be used: {reason}. Answer again in exactly the form asked for."
        try:
            return check(await self._complete(self.model, prompt_id, {**variables, "repair": repair}))
        except ValueError as error:
            raise ModelAnswerError(f"{prompt_id}: the answer could not be used after one repair: {error}") from None

    async def ask_with_fallback(
        self, fallback: T, prompt_id: str, variables: Mapping[str, JsonValue], check: Callable[[Completion], T]
    ) -> tuple[T, Source]:
        """Like ``ask``, but returns ``fallback`` if no model is configured or its answers are unusable.

        Raises ModelUnavailable (a configured model does not answer), BudgetExhausted.
        """
        try:
            return await self.ask(prompt_id, variables, check), "model"
        except NoModel:
            return fallback, "local"
        except (ModelAnswerError, RequestRefused) as error:
            logger.info("failed to use the model's answer to %s, using the fallback: %s", prompt_id, error.wire_type)
            return fallback, "unusable"

    async def _complete(self, model: LanguageModel, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        day = self.clock.now().date().isoformat()
        if self.daily_tokens and await self.job_store.spend(self.scope, day, 0) >= self.daily_tokens:
            raise BudgetExhausted(f"the {self.daily_tokens} tokens of {day} are used up: raise daily-token-budget or wait")
        completion = await model.prompt(prompt_id, variables)
        used = completion.in_tokens + completion.out_tokens
        if not used:  # the model reports no token counts
            used = count_tokens(repr(variables)) + count_tokens(completion.text or repr(completion.object))
        await self.job_store.spend(self.scope, day, used)
        return completion


def count_unusable(source: Source) -> dict[str, int]:
    """Counter for a job's summary: 1 if the model's answers were unusable."""
    return {"unusable_answers": 1} if source == "unusable" else {}


def plain_text(completion: Completion, longest: int) -> str:
    """The first ``longest`` characters of the completion's text.  Raises ValueError: there is none."""
    text = completion.text.strip()
    if len(text) < 3:
        raise ValueError("a text is needed")
    return text[:longest]


def json_object(completion: Completion) -> Mapping[str, JsonValue]:
    """The completion's JSON object.  Raises ValueError: it is not an object."""
    if not isinstance(completion.object, dict):
        raise ValueError("a JSON object is needed")
    return completion.object


def json_items(completion: Completion, key: str) -> list[Mapping[str, JsonValue]]:
    """The objects in the list under ``key``, see ``read_items``.  Other items are skipped.

    Raises:
        ValueError: there is no list.
    """
    found = read_items(completion.object, key)
    if found is None:
        raise ValueError(f'a JSON object with a list "{key}" is needed')
    return [item for item in found if isinstance(item, dict)]
