"""One turn as a client sees it, assembled from the agent's messages.  Pure: messages in, pieces to show out."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from trustgraph.schema import AgentResponse

from .schema.agent import CITED, RECALLED

PieceKind = Literal["recalled", "thought", "action", "observation", "answer", "notice", "error", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TracePiece:
    """Something new to show.  ``starts``/``ends``: of the message it belongs to."""

    kind: PieceKind
    text: str = ""
    starts: bool = True
    ends: bool = True


@dataclass(slots=True)
class TurnTrace:
    """``feed`` it every message of a turn in order; afterwards the fields hold the whole turn."""

    question: str
    conversation_id: str = ""
    thoughts: list[str] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)
    answer: str = ""
    error: str = ""
    error_type: str = ""  # wire type of the error
    recalled: dict[str, Any] = field(default_factory=dict)
    cited: dict[str, Any] = field(default_factory=dict)
    model: str = ""
    in_tokens: int = 0
    out_tokens: int = 0
    seconds: float = 0.0
    _open: str = ""  # kind of the message being streamed

    @property
    def memories(self) -> list[dict[str, Any]]:
        """The memories shown to the model, in the order of their numbers."""
        return list(self.recalled.get("memories", []))

    @property
    def cited_ids(self) -> list[str]:
        return [str(item) for item in self.cited.get("ids", [])]

    @property
    def missing(self) -> list[str]:
        """Parts of recall that failed, with the reason."""
        return [
            f"{item.get('part')} ({item.get('reason')})" if isinstance(item, Mapping) else str(item)
            for item in self.recalled.get("missing", [])
        ]

    def feed(self, message: AgentResponse) -> list[TracePiece]:
        kind = message.message_type
        pieces: list[TracePiece] = []
        if kind == "explain":
            pieces = self._read_explanation(message)
        elif kind == "error":
            pieces = self._set_error(message.content or (message.error.message if message.error else ""))
        elif kind in ("thought", "action", "observation", "answer"):
            starts = self._open != kind
            self._keep(kind, message.content, starts)
            self._open = "" if message.end_of_message else kind
            if message.content or not starts:
                pieces = [TracePiece(kind=kind, text=message.content, starts=starts, ends=message.end_of_message)]  # type: ignore[arg-type]
        if kind == "answer" and message.end_of_message and not message.end_of_dialog:
            self.answer = ""  # the agent withdrew it, and the complete answer follows
        if message.end_of_dialog:
            self.model = message.model or ""
            self.error_type = message.error.type if message.error else ""
            self.in_tokens, self.out_tokens = message.in_token or 0, message.out_token or 0
            pieces += [*self._set_error(message.error.message if message.error else ""), TracePiece(kind="end")]
        return pieces

    def _set_error(self, text: str) -> list[TracePiece]:
        """Show an error once: agents of version 0.1 send its text first, and again in ``error`` of the last message."""
        if self.error or not text:
            return []
        self.error = text
        return [TracePiece(kind="error", text=text)]

    def _keep(self, kind: str, text: str, starts: bool) -> None:
        if kind == "answer":
            self.answer += text
            return
        bucket = self.thoughts if kind == "thought" else self.observations
        if starts:
            bucket.append(text)
        else:
            bucket[-1] += text

    def _read_explanation(self, message: AgentResponse) -> list[TracePiece]:
        """The memory triples of an explanation: each has a JSON object."""
        pieces = []
        for triple in message.explain_triples:
            predicate, text = getattr(triple.p, "iri", ""), getattr(triple.o, "value", "")
            value = json.loads(text) if predicate in (RECALLED, CITED) and text else None
            if isinstance(value, dict) and predicate == RECALLED:
                self.recalled = value
                pieces.append(TracePiece(kind="recalled"))
            elif isinstance(value, dict):
                self.cited = value
                if value.get("notice"):
                    pieces.append(TracePiece(kind="notice", text=str(value["notice"])))
        return pieces

    def timings_ms(self) -> dict[str, float]:
        """Time per stage, measured by the agent."""
        return {**self.recalled.get("timings_ms", {}), **self.cited.get("timings_ms", {})}

    def as_json(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "answer": self.answer,
            "error": self.error,
            "conversation_id": self.conversation_id,
            "thoughts": self.thoughts,
            "observations": self.observations,
            "recalled": self.memories,
            "rules": self.recalled.get("rules", []),
            "episodes": self.recalled.get("episodes", []),
            "missing": self.missing,
            "gate": self.recalled.get("gate", ""),
            "cited": self.cited_ids,
            "citation": self.cited.get("citation", ""),
            "rule_changes": self.cited.get("rule_changes", []),
            "recorded": self.cited.get("recorded", False),
            "model": self.model,
            "in_tokens": self.in_tokens,
            "out_tokens": self.out_tokens,
            "seconds": round(self.seconds, 3),
            "timings_ms": self.timings_ms(),
        }
