"""Whether a parsed JSON value has the form that a JSON schema states, and where it has not.

In: a value as `json.loads` gives it, a schema as plain dicts. Out: the way to the first part that does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

UNKNOWN = "that this program does not know"
KINDS: dict[str, Callable[[type], bool]] = {
    "null": lambda kind: kind is type(None),
    "boolean": lambda kind: kind is bool,
    "string": lambda kind: kind is str,
    "number": lambda kind: kind is int or kind is float,
    "integer": lambda kind: kind is int,
    "array": lambda kind: kind is list,
    "object": lambda kind: kind is dict,
}


def misfit(value: Any, schema: Mapping[str, Any], defs: Mapping[str, Any]) -> list[str] | None:
    """Return the way to the first part of a value that a JSON schema does not allow, None when it allows all of it.

    It knows the words of JSON Schema that our model files use. A member that the schema does not have is told by its
    name only where that is a short word: it may be anything.

    Examples
    --------
    >>> misfit({"tau": "0.7"}, {"type": "object", "properties": {"tau": {"type": "number"}}}, {})
    ['tau']
    """
    if "$ref" in schema:
        return misfit(value, defs[schema["$ref"].removeprefix("#/$defs/")], defs)
    if "anyOf" in schema:
        return None if any(misfit(value, each, defs) is None for each in schema["anyOf"]) else []
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(KINDS[kind](type(value)) for kind in kinds):
        return []
    allowed = schema.get("enum", [schema["const"]] if "const" in schema else [value])
    if not any(type(value) is type(each) and value == each for each in allowed):
        return []
    if isinstance(value, dict):
        return misfit_of_members(value, schema, defs)
    if isinstance(value, list):
        return misfit_of_items(value, schema, defs)
    if isinstance(value, str):
        return None if re.search(schema.get("pattern", ""), value) else []
    if isinstance(value, (int, float)):
        return None if schema.get("minimum", value) <= value <= schema.get("maximum", value) else []
    return None


def misfit_of_members(value: Mapping[str, Any], schema: Mapping[str, Any], defs: Mapping[str, Any]) -> list[str] | None:
    """Return the way to the first member that a schema does not allow, or that it asks for in vain."""
    known, other = schema.get("properties", {}), schema.get("additionalProperties", False)
    for name in schema.get("required", ()):
        if name not in value:
            return [name]
    for name, member in value.items():
        if name not in known and other is False:
            short = name.isidentifier() and len(name) <= 40
            return [f"{name!r}, which this program does not know," if short else UNKNOWN]
        way = misfit(member, known.get(name, other), defs)
        if way is not None:
            return [name, *way] if name in known else way
    return None


def misfit_of_items(value: Sequence[Any], schema: Mapping[str, Any], defs: Mapping[str, Any]) -> list[str] | None:
    """Return the way to the first item that a schema does not allow."""
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return []
    if schema.get("uniqueItems") and len({(isinstance(v, bool), v) for v in value}) < len(value):
        return []
    first = schema.get("prefixItems", ())
    for each, item in zip(first, value, strict=False):
        if misfit(item, each, defs) is not None:
            return []
    items = schema.get("items")
    if items is None:
        return None
    rest = value[len(first) :]
    if all(type(item) in (int, float, bool, str, type(None)) for item in rest):
        rest = list({(type(item), item): item for item in rest}.values())  # each value once: files may be long
    return next(([] for item in rest if misfit(item, items, defs) is not None), None)
