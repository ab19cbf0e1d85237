"""From a record to its index document: tokens, languages, passages, and which embedding model answers for a scope."""
