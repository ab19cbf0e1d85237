"""Other memories beside ours: the same turns and questions, each product in an environment of its own (``make peers``)."""
