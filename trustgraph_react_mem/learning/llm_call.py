"""Asking the language model in the background: within the day's budget, with one repair of an answer in the wrong form."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from ..errors import BudgetExhausted, ModelAnswerError, ModelUnavailable
from ..memory.ports import Clock, Completion, JobStore, JsonValue, LanguageModel
from ..memory.scope import Scope
from ..memory.tokens import estimate_tokens

logger = logging.getLogger(__name__)
T = TypeVar("T")

#: Where a text comes from: the model; what is known without one; the same because the model's answers could not be used.
Source = Literal["model", "local", "unusable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundModel:
    """The model of one job.  ``daily_tokens``: of the scope, 0 = no limit."""

    model: LanguageModel | None
    job_store: JobStore
    clock: Clock
    scope: Scope
    daily_tokens: int

    @property
    def configured(self) -> bool:
        return self.model is not None

    async def ask(self, prompt_id: str, variables: Mapping[str, JsonValue], check: Callable[[Completion], T]) -> T:
        """``check`` turns the completion into what is wanted, or raises ValueError saying what is wrong with its form.

        Raises:
            ModelUnavailable: none is configured, or it does not answer.
            ModelAnswerError: the second answer was wrong too.
            BudgetExhausted: the scope's tokens of today are used up.
        """
        if self.model is None:
            raise ModelUnavailable("no language model is configured for background work: configure one for this flow")
        try:
            return check(await self._completed(self.model, prompt_id, {**variables, "repair": ""}))
        except (ValueError, ModelAnswerError) as error:
            reason = str(error) if isinstance(error, ValueError) else "it was not valid JSON"
        repair = f"Your last answer could not be used: {reason}. Answer again in exactly the form asked for."
        try:
            return check(await self._completed(self.model, prompt_id, {**variables, "repair": repair}))
        except ValueError as error:
            raise ModelAnswerError(f"{prompt_id}: the answer could not be used after one repair: {error}") from None

    async def ask_or(
        self, fallback: T, prompt_id: str, variables: Mapping[str, JsonValue], check: Callable[[Completion], T]
    ) -> tuple[T, Source]:
        """What the model says; ``fallback`` where there is no model, or its answers cannot be used.

        Raises ModelUnavailable (it does not answer), BudgetExhausted.
        """
        if not self.configured:
            return fallback, "local"
        try:
            return await self.ask(prompt_id, variables, check), "model"
        except ModelAnswerError as error:
            logger.info("A model's answer could not be used", extra={"prompt": prompt_id, "cause": error.wire_type})
            return fallback, "unusable"

    async def _completed(self, model: LanguageModel, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        day = self.clock.now().date().isoformat()
        if self.daily_tokens and await self.job_store.spend(self.scope, day, 0) >= self.daily_tokens:
            raise BudgetExhausted(f"the {self.daily_tokens} tokens of {day} are used up: raise daily-token-budget or wait")
        completion = await model.prompt(prompt_id, variables)
        used = completion.in_tokens + completion.out_tokens
        if not used:  # a model that does not count
            used = estimate_tokens(repr(variables)) + estimate_tokens(completion.text or repr(completion.object))
        await self.job_store.spend(self.scope, day, used)
        return completion


def counted(source: Source) -> dict[str, int]:
    """For a job's summary: answers that could not be used."""
    return {"unusable_answers": 1} if source == "unusable" else {}


def json_object(completion: Completion) -> Mapping[str, JsonValue]:
    """Raises ValueError."""
    if not isinstance(completion.object, dict):
        raise ValueError("a JSON object is needed")
    return completion.object


def json_items(completion: Completion, key: str) -> list[Mapping[str, JsonValue]]:
    """The objects under ``key``; a bare list is taken as them.  What is not an object is left out.

    Raises:
        ValueError: there is no list.
    """
    found = completion.object
    if isinstance(found, dict):
        found = found.get(key)
    if not isinstance(found, list):
        raise ValueError(f'a JSON object with a list "{key}" is needed')
    return [item for item in found if isinstance(item, dict)]
