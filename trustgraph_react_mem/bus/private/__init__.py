"""Topics of the embedded broker that only the holders of a secret can use."""
