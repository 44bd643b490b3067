"""A fitted model as JSON text and back, checked on the way in.

In: plain parts of a model (settings, schema, noise, tree). Out: versioned JSON, or the same parts from it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from engine import kernels
from engine.errors import PenumbraError
from engine.noise import Noise, ResolvedNoise
from engine.table import Schema
from engine.tree import BINS, BRANCHES, NOMINAL, REST, Tree

FORMAT, VERSION = "penumbra-model", 3
LONGEST = 200_000_000  # characters
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


def number_in(value: Any) -> Any:
    """Return one array element from what `number_out` wrote."""
    return (
        {None: math.nan, "inf": math.inf, "-inf": -math.inf}.get(value, value)
        if not isinstance(value, list)
        else [number_in(v) for v in value]
    )


def nested_out(value: Any) -> Any:
    """Return nested lists of array elements as JSON holds them."""
    return [nested_out(v) for v in value] if isinstance(value, list) else number_out(value)


def settings_out(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return constructor settings as JSON holds them: costs as a nested list, class weights as pairs.

    Pairs, since the keys of a JSON object are text and would turn class 1 into class "1".
    """
    held = dict(params)
    if held.get("cost") is not None:
        held["cost"] = np.asarray(held["cost"], dtype=np.float64).tolist()
    if held.get("abstain_cost") is not None:
        held["abstain_cost"] = float(held["abstain_cost"])
    if isinstance(held.get("class_weight"), Mapping):
        pairs = held["class_weight"].items()
        held["class_weight"] = [[c.item() if isinstance(c, np.generic) else c, float(w)] for c, w in pairs]
    return held


def settings_in(held: Mapping[str, Any]) -> dict[str, Any]:
    """Return constructor settings from what `settings_out` wrote."""
    params = dict(held)
    if isinstance(params.get("class_weight"), list):
        params["class_weight"] = dict(params["class_weight"])
    return params


def to_text(
    params: Mapping[str, Any], noises: Mapping[str, Noise | None], resolved: Mapping[str, ResolvedNoise],
    schema: Schema, tree: Tree,
) -> str:  # fmt: skip
    """Return a model as JSON text with every number at full precision.

    Parameters
    ----------
    params : constructor arguments without the noises. noises : the stated noises by argument name.
    resolved : the noises of search, propagation and evaluation as resolved in training.
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
        },
        "classes": tree.classes,
        "tree": {name: nested_out(getattr(tree, name).tolist()) for name in ARRAYS},
    }
    try:
        return json.dumps(record, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise PenumbraError(
            "The model cannot be written as JSON: its settings, classes or categories hold something other than text, "
            "numbers and True or False."
        ) from error


def from_text(text: str) -> dict[str, Any]:
    """Return the parts of a model from JSON text: params, noises, resolved, schema, tree.

    Raises
    ------
    PenumbraError
        When the text is no model file, is truncated or altered, or has another version.
    """
    if not isinstance(text, (str, bytes)) or len(text) > LONGEST:
        raise PenumbraError("This is no Penumbra model file: give the text that to_json wrote.")
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PenumbraError(
            "The model file is not complete JSON; it may be truncated. Save the model again."
        ) from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise PenumbraError("This is no Penumbra model file: give the text that to_json wrote.")
    if record.get("version") != VERSION:
        raise PenumbraError(
            f"The model file has version {record.get('version')!r}; this program reads version {VERSION}."
        )
    try:
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
    ) as error:
        raise PenumbraError(
            "The model file is damaged: a part is missing or has the wrong form. Save the model again."
        ) from error


def parts(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checked parts of a parsed model file."""
    categories = tuple(None if c is None else tuple(c) for c in record["schema"]["categories"])
    schema = Schema(
        tuple(map(str, record["schema"]["names"])),
        categories,
        bool(record["schema"]["named"]),
    )
    arrays = {}
    for name in ARRAYS:
        arrays[name] = np.array([number_in(v) for v in record["tree"][name]], dtype=array_dtype(name))
    arrays["cuts"] = arrays["cuts"].reshape(len(schema.names), -1)
    if not len(arrays["bayes"]):
        arrays["bayes"] = arrays["bayes"].reshape(0, 0, len(record["classes"]))
    tree = Tree(
        **arrays,
        variables=schema.names,
        categories=categories,
        classes=tuple(record["classes"]),
    )
    check_tree(tree)
    resolved = {}
    for name, stated in record["resolved_noise"].items():
        sigma, cv, misrecord = (np.array(stated[part], dtype=np.float64) for part in ("sigma", "cv", "misrecord"))
        noise = ResolvedNoise(sigma, cv, np.array(stated["shape"], dtype=np.int64), misrecord)
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
    noises = {name: None if n is None else Noise.from_dict(n) for name, n in record["noise"].items()}
    return {
        "params": settings_in(record["params"]),
        "noises": noises,
        "resolved": resolved,
        "schema": schema,
        "tree": tree,
    }


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
    known = tree.delta[~np.isnan(tree.delta)]
    require(bool(np.isfinite(known).all() and (known >= 0).all()), "its list of zones")
