"""Measuring: facts read from the artefacts themselves, written as observations."""
