"""The agent loop for one request: a pure state machine, and a small runner that performs its effects."""
