"""What each command of `whichcuda` does."""
