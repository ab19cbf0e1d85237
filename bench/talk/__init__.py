"""Conversations through the real embedded stack with a scripted or a real language model: ``python -m bench talk``.

``tests/conversations`` uses the same model and the same reading of prompts.
"""
