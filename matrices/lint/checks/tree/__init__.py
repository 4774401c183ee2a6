"""Checks of everything together: references, names and the laws between relations."""
