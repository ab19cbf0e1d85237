"""Turns records into index documents (tokens, languages, passages), and selects the embedding model of a scope."""
