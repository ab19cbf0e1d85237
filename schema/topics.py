"""Names of topics, in trustgraph-base's format ``class:space:topic``."""

from trustgraph.schema.core.topic import queue

AGENT = "agent-manager-react-mem"
FACTS = "agent-facts"
EPISODES = "agent-episodes"
CONVERSATIONS = "agent-conversations"
JOBS = "agent-memory-jobs"

memory_changed_queue = queue("agent-memory-changed", cls="notify")
request_holders_queue = queue("agent-request-holders", cls="notify")
housekeeping_queue = queue("agent-memory-housekeeping", cls="notify")  # has no messages: its exclusive subscriber is the leader


def request_queue(service: str, workspace: str, flow: str) -> str:
    return f"{queue(service, cls='request')}:{workspace}:{flow}"


def response_queue(service: str, workspace: str, flow: str) -> str:
    return f"{queue(service, cls='response')}:{workspace}:{flow}"


def job_queue(workspace: str) -> str:
    """The persistent job topic of a workspace.  No blueprint names it, because stopping a flow deletes the topics of its
    blueprint."""
    return f"{queue(JOBS, cls='flow')}:{workspace}"
