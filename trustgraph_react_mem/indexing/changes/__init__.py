"""Whether a newer statement changes an older one, decided by forms of sentences."""
