"""Checks of one file: how it is written, apart from what it says."""
