"""Names of topics, in trustgraph-base's ``class:space:topic`` form."""

from trustgraph.schema.core.topic import queue

AGENT = "agent-manager-react-mem"
FACTS = "agent-facts"
EPISODES = "agent-episodes"
CONVERSATIONS = "agent-conversations"
JOBS = "agent-memory-jobs"

memory_changed_queue = queue("agent-memory-changed", cls="notify")
housekeeping_queue = queue("agent-memory-housekeeping", cls="notify")  # carries no message: its subscriber leads


def request_queue(service: str, workspace: str, flow: str) -> str:
    return f"{queue(service, cls='request')}:{workspace}:{flow}"


def response_queue(service: str, workspace: str, flow: str) -> str:
    return f"{queue(service, cls='response')}:{workspace}:{flow}"


def job_queue(workspace: str) -> str:
    """Persistent, one a workspace.  Not named in any blueprint: stop-flow would delete it."""
    return f"{queue(JOBS, cls='flow')}:{workspace}"
