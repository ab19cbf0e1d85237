"""Asking the language model in the background: within the day's budget, with one repair of an answer in the wrong form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from ..errors import BudgetExhausted, ModelAnswerError, ModelUnavailable
from ..memory.ports import Clock, Completion, JobLedger, JsonValue, LanguageModel
from ..memory.scope import Scope

T = TypeVar("T")
CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundModel:
    """The model of one job.  ``daily_tokens``: of the scope, 0 = no limit."""

    model: LanguageModel | None
    ledger: JobLedger
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

    async def _completed(self, model: LanguageModel, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        day = self.clock.now().date().isoformat()
        if self.daily_tokens and await self.ledger.spend(self.scope, day, 0) >= self.daily_tokens:
            raise BudgetExhausted(f"the {self.daily_tokens} tokens of {day} are used up: raise daily-token-budget or wait")
        completion = await model.prompt(prompt_id, variables)
        used = completion.in_tokens + completion.out_tokens
        if not used:  # a model that does not count
            used = (len(repr(variables)) + len(completion.text or repr(completion.object))) // CHARS_PER_TOKEN
        await self.ledger.spend(self.scope, day, used)
        return completion


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
