"""Retrieval for the facts and episodes services: candidates, ranking features, scores."""
