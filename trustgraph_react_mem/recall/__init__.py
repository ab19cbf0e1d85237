"""What the agent gathers before the loop: gate, query, recall in parallel, token budget."""
