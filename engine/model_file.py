"""A fitted model as JSON text and back, checked on the way in.

In: plain parts of a model (settings, schema, noise, tree). Out: versioned JSON, or the same parts from it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from engine import kernels
from engine.errors import PenumbraError
from engine.grow import settle_boxes
from engine.json_form import misfit
from engine.leaves import LEAVES, leaf_probability
from engine.names import name_text
from engine.noise import SHAPES, Noise, ResolvedNoise
from engine.recipe import AXES, DEFAULTS, THRESHOLDS
from engine.schema import Schema
from engine.tree import BINS, BRANCHES, NOMINAL, REST, Node, Tree

FORMAT, VERSION = "penumbra-model", 3
LONGEST = 200_000_000  # characters
NO_MODEL = "This is no Penumbra model file"
ARRAYS = {f.name: f.type for f in fields(Tree) if f.name not in ("variables", "categories", "classes")}
DTYPES = {
    "np.int32": np.int32,
    "np.int8": np.int8,
    "np.bool_": np.bool_,
    "np.float64": np.float64,
}


def array_dtype(name: str) -> Any:
    """Return the dtype that `Tree` declares for an array."""
    return next(dtype for text, dtype in DTYPES.items() if text in str(ARRAYS[name]))


def number_out(value: Any) -> Any:
    """Return one array element as JSON holds it: NaN as null, infinities as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def array_in(values: Any, dtype: Any) -> Any:
    """Return an array from what `nested_out` wrote, at most two lists deep; whole numbers stay whole.

    Raises
    ------
    TypeError
        For an element of another kind, which numpy would cut or convert in silence.
    """
    if not isinstance(values, list):
        raise TypeError
    deep = bool(values) and isinstance(values[0], list)
    rows = values if deep else [values]
    wanted: dict[Any, set[type]] = {np.bool_: {bool}, np.float64: {int, float, str, type(None)}}
    kinds = wanted.get(dtype, {int})
    if {type(value) for row in rows for value in row} - kinds:
        raise TypeError
    special = {None: math.nan, "inf": math.inf, "-inf": -math.inf}
    if dtype is np.float64:
        rows = [[special[v] if v is None or isinstance(v, str) else v for v in row] for row in rows]
    return np.array(rows if deep else rows[0], dtype=dtype)


def nested_out(value: Any) -> Any:
    """Return nested lists of array elements as JSON holds them."""
    return [nested_out(v) for v in value] if isinstance(value, list) else number_out(value)


def settings_out(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return constructor settings as JSON holds them: costs as a nested list, class weights as pairs.

    Pairs, since the keys of a JSON object are text and would turn class 1 into class "1".
    """
    held = {name: value.item() if isinstance(value, np.generic) else value for name, value in params.items()}
    if held.get("nominal") is not None:
        plain = [c.item() if isinstance(c, np.generic) else c for c in held["nominal"]]
        held["nominal"] = [c if type(c) is int else name_text(c) for c in plain]  # columns are found by that text
    if held.get("cost") is not None:
        held["cost"] = np.asarray(held["cost"], dtype=np.float64).tolist()
    if held.get("abstain_cost") is not None:
        held["abstain_cost"] = float(held["abstain_cost"])
    if isinstance(held.get("class_weight"), Mapping):
        pairs = held["class_weight"].items()
        held["class_weight"] = [[c.item() if isinstance(c, np.generic) else c, float(w)] for c, w in pairs]
    return held


def array_out(tree: Tree, name: str) -> Any:
    """Return one of the tree's arrays as nested lists, at most two deep: those of naive Bayes one below the other."""
    array = getattr(tree, name)
    return (array.reshape(-1, len(tree.classes)) if name == "bayes" else array).tolist()


def settings_in(held: Mapping[str, Any]) -> dict[str, Any]:
    """Return constructor settings from what `settings_out` wrote."""
    params = dict(held)
    if isinstance(params.get("class_weight"), list):
        params["class_weight"] = dict(params["class_weight"])
    return params


PLAIN: dict[str, Any] = {"type": ["string", "number", "boolean"]}
ANY_NUMBER: dict[str, Any] = {"anyOf": [{"type": "number"}, {"enum": [None, "inf", "-inf"]}]}
NOT_NEGATIVE: dict[str, Any] = {"type": "number", "minimum": 0}
TWO_DEEP = ("class_weight", "probability", "cuts", "bayes")


def list_of(items: Mapping[str, Any], **limits: Any) -> dict[str, Any]:
    """Return the JSON schema of a list."""
    return {"type": "array", "items": dict(items), **limits}


def object_of(properties: Mapping[str, Any], optional: Sequence[str] = ()) -> dict[str, Any]:
    """Return the JSON schema of an object with all of these members, the optional ones perhaps, and no others."""
    required = [name for name in properties if name not in optional]
    return {
        "type": "object", "properties": dict(properties), "required": required, "additionalProperties": False,
    }  # fmt: skip


def or_null(*choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a value that may be missing."""
    return {"anyOf": [{"type": "null"}, *map(dict, choices)]}


def settings_schema() -> dict[str, Any]:
    """Return the JSON schema of the constructor's settings, the noises aside."""
    kinds = {bool: "boolean", int: "number", float: "number"}
    settings = {name: {"type": kinds.get(type(default), "string")} for name, default in DEFAULTS.items()}
    choices: dict[str, Any] = {name: {"enum": list(choice)} for name, choice in AXES.items()}
    pair = {"type": "array", "prefixItems": [PLAIN, NOT_NEGATIVE], "minItems": 2, "maxItems": 2}
    numbers = ("max_depth", "width", "n_bootstraps", "abstain_cost")
    special = {
        "threshold": {"enum": list(THRESHOLDS)},
        "min_weight_leaf": {"anyOf": [NOT_NEGATIVE, {"const": "c45"}]},
        "cost": or_null(list_of(list_of({"type": "number"}), minItems=2)),
        "class_weight": or_null({"const": "balanced"}, list_of(pair)),
        "nominal": or_null(list_of({"type": ["string", "integer"]})),
        **{name: or_null(NOT_NEGATIVE) for name in numbers},
        "random_state": or_null({"type": "integer", "minimum": 0}),
    }
    return object_of({**settings, **choices, **special})


def noise_schema() -> dict[str, Any]:
    """Return the JSON schema of one part of a stated noise: one value, a list by column, or an object by name."""
    relative = object_of({"relative_to": {"enum": ["mean", "sd", "range"]}, "fraction": NOT_NEGATIVE})
    one = [NOT_NEGATIVE, {"enum": list(SHAPES)}, relative]
    by_name = object_of({"by_name": {"type": "object", "additionalProperties": or_null(*one)}})
    return or_null(*one, list_of(or_null(*one)), by_name)


def array_schema(name: str) -> dict[str, Any]:
    """Return the JSON schema of one of the tree's arrays."""
    dtype = array_dtype(name)
    item = {np.float64: ANY_NUMBER, np.bool_: {"type": "boolean"}}.get(dtype, {"type": "integer", "minimum": -1})
    return list_of(list_of(item)) if name in TWO_DEEP else list_of(item, minItems=1)


def file_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a model file, for programs that write or check one.

    It tells the form of every part. That the parts agree with each other, and with the checksum, `from_text` checks.

    Examples
    --------
    >>> sorted(file_schema()["properties"])[:4]
    ['classes', 'format', 'noise', 'params']
    """
    stated = object_of({part: {"$ref": "#/$defs/noise"} for part in ("sigma", "cv", "misrecord", "shape")})
    resolved = object_of(
        {
            **{part: list_of(NOT_NEGATIVE) for part in ("sigma", "cv", "misrecord")},
            "shape": list_of({"type": "integer", "minimum": 0, "maximum": len(kernels.REACH) - 1}),
        }
    )
    columns = {
        "names": list_of({"type": "string"}, minItems=1, uniqueItems=True),
        "categories": list_of(or_null(list_of(PLAIN, uniqueItems=True)), minItems=1),
        "named": {"type": "boolean"},
        "text_names": {"type": "boolean"},
    }
    uses = ("search", "propagation", "evaluation")
    record = {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "params": settings_schema(),
        "noise": object_of({name: or_null(stated) for name in ("noise", *(f"noise_{use}" for use in uses))}),
        "resolved_noise": object_of(dict.fromkeys(uses, resolved)),
        "schema": object_of(columns, optional=("text_names",)),
        "classes": list_of(PLAIN, minItems=2, uniqueItems=True),
        "tree": object_of({name: array_schema(name) for name in ARRAYS}),
        "zone_factor": or_null(NOT_NEGATIVE),
        "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    }
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A fitted Penumbra model"}
    return {**head, **object_of(record), "$defs": {"noise": noise_schema()}}


def to_text(
    params: Mapping[str, Any], noises: Mapping[str, Noise | None], resolved: Mapping[str, ResolvedNoise],
    schema: Schema, tree: Tree, zone_factor: float | None = None,
) -> str:  # fmt: skip
    """Return a model as JSON text with every number at full precision.

    Parameters
    ----------
    params : constructor arguments without the noises. noises : the stated noises by argument name.
    resolved : the noises of search, propagation and evaluation as resolved in training.
    zone_factor : by what the tree's zones were multiplied after the fit, None when they were not.
    """
    record = {
        "format": FORMAT,
        "version": VERSION,
        "params": dict(params),
        "noise": {name: None if noise is None else noise.to_dict() for name, noise in noises.items()},
        "resolved_noise": {
            name: {part: nested_out(getattr(noise, part).tolist()) for part in ("sigma", "cv", "shape", "misrecord")}
            for name, noise in resolved.items()
        },
        "schema": {
            "names": schema.names,
            "categories": schema.categories,
            "named": schema.named,
            **({} if schema.text_names else {"text_names": False}),
        },
        "classes": tree.classes,
        "tree": {name: nested_out(array_out(tree, name)) for name in ARRAYS},
        "zone_factor": zone_factor,
    }
    try:
        record["sha256"] = checksum(json.loads(json.dumps(record, allow_nan=False)))
        return json.dumps(record, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise PenumbraError(
            "The model cannot be written as JSON: its settings, classes or categories hold something other than text, "
            "numbers and True or False."
        ) from error


def checksum(record: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a parsed model file's content, however it was spaced and ordered; its own aside."""
    content = {name: value for name, value in record.items() if name != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def from_text(text: str) -> dict[str, Any]:
    """Return the parts of a model from JSON text: params, noises, resolved, schema, tree, zone_factor.

    Raises
    ------
    PenumbraError
        When the text is no model file, is truncated or altered, or has another version.
    """
    if not isinstance(text, (str, bytes)) or len(text) > LONGEST:
        raise PenumbraError(f"{NO_MODEL}: give the text that to_json wrote.")
    try:
        text = text.removeprefix("\ufeff") if isinstance(text, str) else text  # as some editors begin a file
        record = json.loads(text, object_pairs_hook=members_of, parse_constant=refuse_constant)
    except PenumbraError:
        raise
    except (ValueError, RecursionError) as error:
        raise PenumbraError(
            "The model file is not complete JSON; it may be truncated. Save the model again."
        ) from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise PenumbraError(f"{NO_MODEL}: give the text that to_json wrote.")
    version = record.get("version")
    if type(version) is not int or version != VERSION:
        given = f"version {version!r}" if isinstance(version, (str, int, float)) and len(str(version)) <= 20 else (
            "version None" if version is None else "version of another kind"
        )
        raise PenumbraError(f"The model file has {given}; this program reads version {VERSION}.")
    try:
        if record.get("sha256") != checksum(record):
            raise PenumbraError(
                "The model file does not match its checksum: it was altered after it was saved. Save the model again."
            )
        check_form(record)
        return parts(record)
    except PenumbraError:
        raise
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise PenumbraError(
            "The model file is damaged: a part is missing or has the wrong form. Save the model again."
        ) from error


def members_of(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object's members; refuse one that is there twice, of which readers would take one or the other."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise PenumbraError("The model file is damaged: a part of it is there twice. Save the model again.")
    return members


def refuse_constant(token: str) -> None:
    """Refuse NaN and infinities, which are no JSON; the file writes null and texts in their place."""
    raise PenumbraError(f"The model file is damaged: it holds {token}, which is no JSON. Save the model again.")


def check_form(record: Any) -> None:
    """Refuse a parsed model file that has not the form of `file_schema`, naming the part."""
    schema = file_schema()
    where = misfit(record, schema, schema["$defs"])
    if where is not None:
        part = " › ".join(where) or "the whole"
        raise PenumbraError(f"The model file is damaged: its part {part} has the wrong form. Save the model again.")


def parts(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checked parts of a parsed model file."""
    names, held = record["schema"]["names"], record["schema"]["categories"]
    require(
        isinstance(names, list)
        and all(isinstance(name, str) for name in names)
        and len(set(names)) == len(names) == len(held)
        and isinstance(record["schema"]["named"], bool),
        "its list of columns",
    )
    for values in held:
        require(values is None or distinct_values(values), "its list of categories")
    classes = record["classes"]
    require(
        distinct_values(classes) and len({isinstance(c, str) for c in classes}) == 1 and classes == sorted(classes),
        "its list of classes",
    )
    categories = tuple(None if c is None else tuple(c) for c in held)
    schema = Schema(tuple(names), categories, record["schema"]["named"], record["schema"].get("text_names", True))
    arrays = {}
    for name in ARRAYS:
        arrays[name] = array_in(record["tree"][name], array_dtype(name))
    arrays["cuts"] = arrays["cuts"].reshape(len(schema.names), -1)
    n_bayes = int(arrays["bayes_of"].max(initial=-1)) + 1
    n_cells = len(arrays["bayes"]) // n_bayes if n_bayes else 0
    arrays["bayes"] = arrays["bayes"].reshape(n_bayes, n_cells, len(classes))
    tree = Tree(
        **arrays,
        variables=schema.names,
        categories=categories,
        classes=tuple(classes),
    )
    check_tree(tree)
    resolved = {}
    for name, stated in record["resolved_noise"].items():
        sigma, cv, misrecord = (array_in(stated[part], np.float64) for part in ("sigma", "cv", "misrecord"))
        noise = ResolvedNoise(sigma, cv, array_in(stated["shape"], np.int64), misrecord)
        lengths = {
            len(noise.sigma),
            len(noise.cv),
            len(noise.shape),
            len(noise.misrecord),
        }
        scales = np.concatenate([noise.sigma, noise.cv, noise.misrecord])
        require(
            lengths == {schema.n_variables} and bool(np.isfinite(scales).all() and (scales >= 0).all()),
            "its noise",
        )
        require(
            bool(np.isin(noise.shape, range(len(kernels.REACH))).all() and (noise.misrecord <= 1).all()),
            "its noise",
        )
        resolved[name] = noise
    require(set(resolved) == {"search", "propagation", "evaluation"}, "its noise")
    nominal = dict(record["params"]).get("nominal")
    require(nominal is None or isinstance(nominal, list), "its list of nominal columns")
    factor = record.get("zone_factor")
    require(factor is None or (isinstance(factor, float) and 0.0 <= factor < math.inf), "its zone factor")
    noises = {name: None if n is None else Noise.from_dict(n) for name, n in record["noise"].items()}
    return {
        "params": settings_in(record["params"]),
        "noises": noises,
        "resolved": resolved,
        "schema": schema,
        "tree": tree,
        "zone_factor": factor,
    }


def distinct_values(values: Any) -> bool:
    """Return True for a list of different texts, numbers or truth values, as categories and classes are."""
    plain = isinstance(values, list) and all(isinstance(value, (str, int, float)) for value in values)
    return plain and len(set(values)) == len(values)


def require(holds: bool, what: str) -> None:
    """Refuse a model file in which `what` contradicts itself."""
    if not holds:
        raise PenumbraError(f"The model file is damaged: {what} contradicts itself. Save the model again.")


def codes_fit(tree: Tree, node: int) -> bool:
    """Return True when a split node's children are the sides, categories or bins that its gate and variable allow."""
    gate, variable = int(tree.gate[node]), int(tree.variable[node])
    codes, categories = [int(tree.code[child]) for child in tree.children(node)], tree.categories[variable]
    if gate in BRANCHES:
        return categories is None and codes == list(range(len(BRANCHES[gate])))
    if gate == NOMINAL:
        return categories is not None and distinct_codes(codes, len(categories))
    cuts = tree.cuts[variable]
    rising = bool(np.isfinite(cuts).all() and (np.diff(cuts) >= 0).all())
    return gate == BINS and categories is None and rising and distinct_codes(codes, len(cuts) + 1)


def distinct_codes(codes: list[int], n_values: int) -> bool:
    """Return True for rising positions below `n_values`, REST last; all of them when there is no REST."""
    named = codes[:-1] if codes[-1] == REST else codes
    whole = codes[-1] == REST or len(named) == n_values
    return whole and named == sorted(set(named)) and all(0 <= code < n_values for code in named)


def bayes_shape(tree: Tree) -> tuple[int, ...]:
    """Return the shape that a tree's naive Bayes must have for its variables and classes."""
    n_cells = int(tree.n_values.sum()) if tree.has_bayes else 0
    return len(tree.bayes), n_cells, len(tree.classes)


def check_bayes(tree: Tree) -> None:
    """Refuse naive Bayes weights that are no weights, or leaves that do not each have one."""
    require(bool(np.isfinite(tree.bayes).all() and (tree.bayes >= 0).all()), "its naive Bayes")
    is_leaf = tree.n_children == 0
    allowed = range(len(tree.bayes)) if tree.has_bayes else (-1,)
    require(bool(np.isin(tree.bayes_of[is_leaf], allowed).all()), "its naive Bayes")
    require(bool((tree.bayes_of[~is_leaf] == -1).all()), "its naive Bayes")
    cuts = tree.cuts[[names is None for names in tree.categories]]
    rising = np.isnan(cuts).all(axis=1) | (np.isfinite(cuts).all(axis=1) & (np.diff(cuts, axis=1) >= 0).all(axis=1))
    require(not tree.has_bayes or bool(rising.all()), "its list of cuts")


def check_tree(tree: Tree) -> None:
    """Refuse a tree whose arrays do not describe one tree over its variables and classes."""
    n, n_classes = tree.n_nodes, len(tree.classes)
    require(
        n >= 1 and n_classes >= 2 and len(set(tree.classes)) == n_classes,
        "its list of classes",
    )
    for name in ARRAYS:
        shape: tuple[int, ...] = (n, n_classes) if name in ("class_weight", "probability") else (n,)
        shape = (len(tree.variables), tree.cuts.shape[1]) if name == "cuts" else shape
        shape = bayes_shape(tree) if name == "bayes" else shape
        require(getattr(tree, name).shape == shape, f"its array {name!r}")
    next_child = 1
    for node in range(n):
        count = int(tree.n_children[node])
        if count == 0:
            require(
                tree.first_child[node] == -1 and tree.variable[node] == -1,
                "its list of leaves",
            )
            continue
        require(
            count >= 2 and int(tree.first_child[node]) == next_child and next_child + count <= n,
            "its list of children",
        )
        require(
            bool((tree.parent[next_child : next_child + count] == node).all()),
            "its list of parents",
        )
        require(
            bool((tree.depth[next_child : next_child + count] == tree.depth[node] + 1).all()),
            "its list of depths",
        )
        variable = int(tree.variable[node])
        require(0 <= variable < len(tree.variables), "its list of split variables")
        require(codes_fit(tree, node), "its list of children's codes")
        if int(tree.gate[node]) in BRANCHES:
            require(bool(np.isfinite(tree.threshold[node])), "its list of thresholds")
            zone = tree.low[node], tree.high[node]
            require(bool(np.isnan(zone).all()) or bool(zone[0] <= tree.threshold[node] <= zone[1]), "its list of zones")
        shares = tree.share[next_child : next_child + count]
        require(
            bool((shares >= 0).all() and abs(shares.sum() - 1.0) < 1e-9),
            "its list of shares",
        )
        next_child += count
    require(
        next_child == n and int(tree.parent[0]) == -1 and int(tree.depth[0]) == 0,
        "its list of nodes",
    )
    require(
        bool((tree.probability >= 0).all()) and bool(np.allclose(tree.probability.sum(axis=1), 1.0)),
        "its probabilities",
    )
    weights = np.concatenate([tree.weight, tree.weight_squared, tree.class_weight.ravel()])
    require(bool(np.isfinite(weights).all() and (weights >= 0).all()), "its list of weights")
    require(
        bool(np.allclose(tree.class_weight.sum(axis=1), tree.weight)),
        "its list of weights",
    )
    check_bayes(tree)
    gains = np.where((tree.variable < 0) & np.isnan(tree.gain), 0.0, tree.gain)
    require(bool((np.abs(gains) <= n_classes).all()), "its list of gains")  # bits or parts of patients: far below
    known = tree.delta[~np.isnan(tree.delta)]
    require(bool(np.isfinite(known).all() and (known >= 0).all()), "its list of zones")
    require(bool(((tree.probability >= 0) & (tree.probability <= 1)).all()), "its probabilities")
    symmetric = ~np.isnan(tree.delta)
    edges = np.stack([tree.low - (tree.threshold - tree.delta), tree.high - (tree.threshold + tree.delta)])[
        :, symmetric
    ]
    require(bool((np.abs(edges) <= 1e-9 * (1.0 + np.abs(tree.threshold[symmetric]))).all()), "its list of zones")
    nodes = growing(tree)
    settle_boxes(nodes[0])
    boxes = np.array([node.box for node in nodes])
    require(
        np.array_equal(boxes[:, 0], tree.box_low) and np.array_equal(boxes[:, 1], tree.box_high), "its list of boxes"
    )


def growing(tree: Tree) -> list[Node]:
    """Return the nodes of a finished tree as they were while it grew, in the tree's order, boxes left open."""
    nodes = [
        Node(
            tree.class_weight[node],
            float(tree.weight[node]),
            float(tree.weight_squared[node]),
            int(tree.depth[node]),
            variable=int(tree.variable[node]),
            gate=int(tree.gate[node]),
            threshold=float(tree.threshold[node]),
            delta=float(tree.delta[node]),
        )
        for node in range(tree.n_nodes)
    ]
    for place, node in enumerate(nodes):
        node.children = [nodes[child] for child in tree.children(place)]
    return nodes


def check_against(tree: Tree, leaf: str, zone: str) -> None:
    """Refuse probabilities that the class weights do not give under the leaf model, and zones where none were asked.

    Parameters
    ----------
    leaf, zone : the settings of those names. Naive Bayes leaves answer by the reading, so that only the others can be
        worked out again.
    """
    if zone == "none":
        require(bool(np.isnan([tree.delta, tree.low, tree.high]).all()), "its list of zones")
    if leaf not in LEAVES:
        return
    for node in range(tree.n_nodes):
        above = tree.probability[tree.parent[node]] if node else None
        expected = leaf_probability(tree.class_weight[node], above, leaf)
        require(bool(np.allclose(tree.probability[node], expected, rtol=0.0, atol=1e-9)), "its list of probabilities")
