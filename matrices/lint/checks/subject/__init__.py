"""Checks of one subject: what its claims say beside each other."""
