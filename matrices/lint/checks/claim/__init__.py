"""Checks of one claim: its evidence, its dates, its reasons."""
