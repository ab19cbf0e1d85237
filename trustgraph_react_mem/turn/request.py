"""One request after validation, passed on whole: to recall, to the loop, to what is said, and to the record of the turn."""

from dataclasses import dataclass

from ..recall.records import RecallRequest
from .tools import ToolSet
from .working import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest(RecallRequest):
    """What a person asked, and under which settings.

    Attributes:
        session_id: names the provenance of this run.
        invocation_id: of this request alone: a client may send the same ``session_id`` twice, and so may two users.
        memory: off is the stock agent.
        record: the turn is to be remembered, unless the person switched writing off.
        tools: those of the workspace; ``groups`` and ``state`` decide which of them may be used.
        history: the steps that a client continues from.
        pattern, task_type: of the supervisor that sent this request to a sub-agent, for its provenance.
        subagent: the answer goes to a supervisor, not to the client.
    """

    session_id: str
    invocation_id: str
    speaker: str = "User"
    memory: bool
    record: bool
    tools: ToolSet
    groups: tuple[str, ...] | None = None
    state: str = ""
    streaming: bool = False
    framing: str = ""
    flow: str = ""
    history: tuple[Step, ...] = ()
    end_of_conversation: bool = False
    parent_session_id: str = ""
    pattern: str = ""
    task_type: str = ""
    subagent: bool = False

    @property
    def recorded_conversation_id(self) -> str:
        """Where the turn is remembered: a conversation without a name is one of its own."""
        return self.conversation_id or self.session_id
