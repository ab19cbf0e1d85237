"""The loop: one request from its question to its answer, as a pure machine and a small runner that performs its effects."""
