"""What the commands draw in a terminal."""
