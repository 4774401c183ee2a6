"""Reads pasted text, recognises the symptom, asks the resolver, answers in the asker's language. Knows no HTTP."""
