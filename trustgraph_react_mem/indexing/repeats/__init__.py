"""When two texts say the same thing: a normal form, and one wording for common phrases."""
