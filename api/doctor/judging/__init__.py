"""The judgement on a machine."""
