"""Checks of what is built from the data."""
