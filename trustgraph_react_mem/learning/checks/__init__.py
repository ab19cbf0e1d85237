"""What a model wrote is checked against what was said, and against what is known."""
