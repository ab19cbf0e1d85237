"""The messages of requests and answers: their text, and the events of streams."""
