"""Recall, which the agent runs before its loop: gate, search query, parallel requests and token budget."""
