"""Memory as the store of LangGraph's agents."""
