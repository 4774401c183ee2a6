"""How people write GPU names: words, readings of a text, and the index of readings. `resolver.names` is the door."""
