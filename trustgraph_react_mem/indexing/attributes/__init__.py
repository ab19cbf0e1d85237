"""What people have one of at a time, and the forms in which they say so, in twelve languages."""
