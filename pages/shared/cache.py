"""What was worked out from the choices, kept for this session only and found again by a SHA-256 of what it came from.

In: a kind, the digest of everything it depends on, and how to make it. Out: the thing, made once.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

KEY = "penumbra_kept"
SAME = "penumbra_same"
KEPT = 12
Made = TypeVar("Made")


def digest(*parts: Any) -> str:
    """Return a SHA-256 over bytes and plain values."""
    text = hashlib.sha256()
    for part in parts:
        text.update(part if isinstance(part, bytes) else json.dumps(part, sort_keys=True, default=str).encode())
        text.update(b"\0")
    return text.hexdigest()


def holds(kind: str, key: str) -> bool:
    """Return whether this has been made in this session and is still kept."""
    return key in st.session_state.get(KEY, {}).get(kind, {})


def same(kind: str, parts: tuple[Any, ...], make: Callable[[], Made]) -> Made:
    """Return what was last made in this session of these very parts, or make it now.

    For what a page asks for dozens of times: to compare parts that are still the same objects costs next to nothing,
    a digest costs their size. Dicts are held by their entries, so that one changed in place is not taken for the old.
    """
    shelf = st.session_state.setdefault(SAME, {})
    now = tuple(tuple(part.items()) if isinstance(part, dict) else part for part in parts)
    held = shelf.get(kind)
    if held is None or held[0] != now:
        shelf[kind] = held = (now, make())
    made: Made = held[1]
    return made


def kept(kind: str, key: str, make: Callable[[], Made], most: int = KEPT) -> Made:
    """Return what was made for this key in this session, or make it now; the oldest of a kind goes after twelve.

    `most` is how many of the kind stay, where a page needs more of them at once.
    """
    shelf: OrderedDict[str, Any] = st.session_state.setdefault(KEY, {}).setdefault(kind, OrderedDict())
    if key not in shelf:
        shelf[key] = make()
        while len(shelf) > most:
            shelf.popitem(last=False)
    shelf.move_to_end(key)
    found: Made = shelf[key]
    return found
