"""What every test file may ask for.

In: nothing. Out: the fixtures of `in_browser`.
"""

from in_browser import address, browser

__all__ = ["address", "browser"]
