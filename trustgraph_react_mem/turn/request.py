"""A validated request.  Recall, the loop, the messages and the record of the turn all get the same object."""

from dataclasses import dataclass

from ..recall.request import RecallRequest
from .tools import ToolSet
from .working import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest(RecallRequest):
    """A person's question with its settings.

    Attributes:
        session_id: identifies the provenance of this run.
        invocation_id: unique id of this request.  ``session_id`` is not unique: a client, or two users, may reuse one.
        speaker_proof: verifies that name, see ``memory.trust.owner_seal``.
        memory: False: behave like the stock agent.
        record: record the turn, unless the person switched writing off.
        stores: the model may store single facts, because the flow records no turns.
        tools: tools of the workspace.  ``groups`` and ``state`` decide which of them may be used.
        history: the steps that the client continues from.
        pattern, task_type: of the supervisor that sent this request to a sub-agent, for its provenance.
        subagent: the answer goes to a supervisor, not to the client.
    """

    session_id: str
    invocation_id: str
    speaker: str = "User"
    speaker_proof: str = ""
    memory: bool
    record: bool
    stores: bool = False
    tools: ToolSet
    groups: tuple[str, ...] | None = None
    state: str = ""
    streaming: bool = False
    framing: str = ""
    history: tuple[Step, ...] = ()
    end_of_conversation: bool = False
    parent_session_id: str = ""
    pattern: str = ""
    task_type: str = ""
    subagent: bool = False

    @property
    def recorded_conversation_id(self) -> str:
        """The id of the conversation that records the turn, as far as it is known before the recall."""
        return self.conversation_id or self.implicit_id or self.session_id
