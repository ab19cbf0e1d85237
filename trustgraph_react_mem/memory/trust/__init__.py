"""Who said something, and what follows from it for a memory that several people share."""
