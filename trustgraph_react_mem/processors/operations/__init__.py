"""The operations that the memory processors serve."""
