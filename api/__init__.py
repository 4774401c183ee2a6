"""HTTP and command line. Knows no compatibility rule."""

__all__ = ["VERSION"]

VERSION = "0.1.0"  # of the code, as in pyproject.toml; the data has a version of its own
