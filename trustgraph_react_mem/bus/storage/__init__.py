"""What the embedded broker keeps on disk: reading it, mending it, and replacing it by a fresh directory."""
