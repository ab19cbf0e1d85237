"""What becomes of a finished turn: the handlers of background jobs and the rules they apply."""
