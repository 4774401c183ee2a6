"""Refreshing: what publications say today, put beside what the catalogue holds.

Each source is one module with a pure `parse...(page: bytes) -> ...`; pages come through one door (`door.Pages`), from
the network or from saved copies. What a source says becomes rows in the catalogue's own terms, is compared with the
catalogue, and ends in a proposal. Only what is new is ever written by a program.
"""
