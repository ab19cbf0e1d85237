"""What a language model understood of a conversation: what it is shown, how its answer is checked, and what becomes of it."""
