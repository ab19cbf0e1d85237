"""Learning from finished turns: the handlers of background jobs and the rules that they apply."""
