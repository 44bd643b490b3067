"""A hard-gated tree as PMML 4.4, the Data Mining Group's XML for predictive models.

In: a finished tree, how it is read, its decision and the evaluation noise. Out: XML text, or why there can be none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from engine.decide import SLACK, Rule, most_probable
from engine.errors import PenumbraError
from engine.noise import ResolvedNoise
from engine.tree import BINARY, MIDDLE, NOMINAL, REST, Tree

NAMESPACE, VERSION = "http://www.dmg.org/PMML-4_4", "4.4"
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Lines = list[str]


def to_pmml(
    tree: Tree,
    rule: Rule,
    evaluation: str,
    noise: ResolvedNoise,
    heading: str = "",
    application: tuple[str, str] = ("Penumbra", ""),
    target: str = "class",
) -> str:
    """Return the tree as a PMML 4.4 TreeModel, its missing values by `weightedConfidence`.

    Parameters
    ----------
    tree : the finished tree. rule : its decision; argmax is the model's own answer, tau an output field "decision"
        that is missing where the tree abstains. evaluation, noise : how nodes share a patient, by what error.
    heading : the document's description. application : name and version of what wrote it.
    target : name of the class's field; underscores are added where a variable has it.

    Raises
    ------
    PenumbraError
        When the tree is read by soft gates or zones, its leaves are naive Bayes, or it decides by costs or sets, none
        of which a PMML tree can say; or when a name cannot stand in XML.

    Notes
    -----
    PMML's `weightedConfidence` is this engine's rule for a missing value: the answers of a node's children are
    averaged, weighted by their part of the node's records, and so on downwards. `aggregateNodes` is not: it adds up the
    records of every leaf within reach, so that a value known below the missing one would count for less. Every child's
    recordCount is therefore its parent's times the share that missing values send it, which is its training weight but
    for rounding and the weight floor. Leaves alone hold a distribution: a reader that does not follow missing values
    down to the leaves then finds nothing to answer with, where it would otherwise answer wrongly.
    """
    refuse_unsayable(tree, rule, evaluation, noise)
    target = unused(target, tree.variables)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines += [f"<!-- {in_comment(heading)} -->"] if heading else []
    lines += [f'<PMML xmlns="{NAMESPACE}" version="{VERSION}">']
    name, version = application
    lines += element("Header", {"description": heading}, element("Application", {"name": name, "version": version}))
    lines += data_dictionary(tree, target)
    binary = all(count in (0, 2) for count in tree.n_children)
    attributes = {
        "modelName": f"{name} decision tree",
        "functionName": "classification",
        "missingValueStrategy": "weightedConfidence",
        "noTrueChildStrategy": "returnNullPrediction",
        "splitCharacteristic": "binarySplit" if binary else "multiSplit",
    }
    body = [*mining_schema(tree, target), *output(tree, rule, target), *nodes(tree)]
    return "\n".join([*lines, *element("TreeModel", attributes, body), "</PMML>", ""])


def refuse_unsayable(tree: Tree, rule: Rule, evaluation: str, noise: ResolvedNoise) -> None:
    """Refuse what a PMML tree, which sends each patient one way, cannot say; the sentence gives the reason."""
    why = ""
    if tree.has_bayes:
        why = "its leaves are naive Bayes, and a PMML leaf has one fixed distribution; choose leaf frequency or laplace"
    elif bool(np.any(tree.code == REST)):
        why = "it has a leaf for all values without a branch of their own, which no PMML predicate names; grow it anew"
    elif evaluation in ("soft", "coherent") and is_noisy(tree, noise):
        why = (
            f"evaluation {evaluation!r} shares a patient among branches by measurement error, and a PMML tree sends "
            "each one way; evaluate hard"
        )
    elif evaluation in ("zone", "deferred") and bool(np.any(tree.high > tree.low)):
        why = (
            f"evaluation {evaluation!r} shares a patient among branches inside a zone, and a PMML tree sends each one "
            "way; evaluate hard"
        )
    elif rule.decision not in ("argmax", "tau"):
        why = f"decision {rule.decision!r} has no counterpart in a PMML tree; decide by argmax or tau"
    if why:
        raise PenumbraError(f"This tree cannot be written as PMML: {why}, or export Python or JavaScript.")


def is_noisy(tree: Tree, noise: ResolvedNoise) -> bool:
    """Return True when a variable that the tree splits on has σ > 0 or may be misrecorded."""
    split = {int(j) for j in tree.variable if j >= 0}
    return any(noise.is_noisy(j) or noise.misrecord[j] > 0.0 for j in split)


# The parts of the document, in the order of the schema


def data_dictionary(tree: Tree, target: str) -> Lines:
    """Return every variable with its type and categories, and the classes."""
    fields = []
    for name, categories in zip(tree.variables, tree.categories, strict=True):
        fields += data_field(name, categories)
    fields += data_field(target, tree.classes)
    return element("DataDictionary", {"numberOfFields": str(len(tree.variables) + 1)}, fields)


def data_field(name: str, values: Sequence[Any] | None) -> Lines:
    """Return one field: continuous, or categorical with its values."""
    if values is None:
        return element("DataField", {"name": name, "optype": "continuous", "dataType": "double"})
    attributes = {"name": name, "optype": "categorical", "dataType": data_type(name, values)}
    return element("DataField", attributes, each("Value", "value", values))


def data_type(name: str, values: Sequence[Any]) -> str:
    """Return PMML's type of categories or classes that are all of one kind."""
    kinds: tuple[tuple[str, Callable[[Any], bool]], ...] = (
        ("string", lambda value: isinstance(value, str)),
        ("boolean", lambda value: isinstance(value, bool)),
        ("integer", lambda value: isinstance(value, int) and not isinstance(value, bool)),
        ("double", lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)),
    )
    for kind, fits in kinds:
        if all(fits(value) for value in values):
            return kind
    raise PenumbraError(
        f"This tree cannot be written as PMML: the values of {name!r} are of several kinds, and a PMML field has one; "
        "name them all by text and fit again."
    )


def mining_schema(tree: Tree, target: str) -> Lines:
    """Return which fields are read and which is told; a category not met in training gives an error, as here."""
    fields = []
    for name in tree.variables:
        fields += element(
            "MiningField", {"name": name, "usageType": "active", "invalidValueTreatment": "returnInvalid"}
        )
    fields += element("MiningField", {"name": target, "usageType": "target"})
    return element("MiningSchema", {}, fields)


def output(tree: Tree, rule: Rule, target: str) -> Lines:
    """Return the output fields: the most probable class, every class's probability, and what τ makes of them."""
    taken = [*tree.variables, target]

    def field(name: str, kind: str, feature: str, attributes: dict[str, str], inner: Iterable[str] = ()) -> str:
        taken.append(unused(name, taken))
        optype = "continuous" if kind == "double" else "categorical"
        found = {"name": taken[-1], "optype": optype, "dataType": kind, "feature": feature, **attributes}
        lines.extend(element("OutputField", found, inner))
        return taken[-1]

    lines: Lines = []
    kind = data_type(target, tree.classes)
    best = field("predicted", kind, "predictedValue", {})
    names = [
        field(f"probability({text_of(name)})", "double", "probability", {"value": text_of(name)})
        for name in tree.classes
    ]
    if rule.decision == "tau":
        largest = element("Apply", {"function": "max"}, each("FieldRef", "field", names))
        least = element("Constant", {"dataType": "double"}, text=repr(float(rule.tau) - SLACK))
        reached = element("Apply", {"function": "greaterOrEqual"}, [*largest, *least])
        answer = element("Apply", {"function": "if"}, [*reached, *element("FieldRef", {"field": best})])
        field("decision", kind, "transformedValue", {}, answer)  # missing where the condition fails: an abstention
    return element("Output", {}, lines)


def nodes(tree: Tree) -> Lines:
    """Return the nodes one inside the other, written without recursion since a tree may be deep."""
    records = record_counts(tree)
    lines: Lines = []
    coming: list[tuple[int, Lines] | str] = [(0, element("True", {}))]
    while coming:
        now = coming.pop()
        if isinstance(now, str):
            lines.append(now)
            continue
        node, predicate = now
        attributes = {"id": str(node), "recordCount": number(records[node])}
        coming.append("</Node>")
        if tree.is_leaf(node):
            best = int(most_probable(tree.probability[node][None, :])[0])
            attributes["score"] = text_of(tree.classes[best])
            inner = distribution(tree, node, records[node])
        else:
            inner = []
            coming.extend(reversed(list(zip(tree.children(node), predicates(tree, node), strict=True))))
        lines += [f"<Node{attributes_text(attributes)}>", *predicate, *inner]
    return lines


def record_counts(tree: Tree) -> list[float]:
    """Return a count a node by which a child's part of its parent is the share that missing values send it."""
    counts = [float(tree.weight[0])]
    for node in range(1, tree.n_nodes):
        counts.append(counts[tree.parent[node]] * float(tree.share[node]))
    return counts


def distribution(tree: Tree, node: int, records: float) -> Lines:
    """Return a leaf's records and probability by class; the probability may be smoothed, the records are not.

    The confidence, which the missing values' rule averages, is the probability.
    """
    weight = float(tree.weight[node])
    lines = []
    for k, name in enumerate(tree.classes):
        p = float(tree.probability[node, k])
        part = float(tree.class_weight[node, k]) / weight if weight > 0.0 else p
        lines += element(
            "ScoreDistribution",
            {"value": text_of(name), "recordCount": number(records * part), "confidence": number(p),
             "probability": number(p)},
        )  # fmt: skip
    return lines


# What sends a patient to a child; each is unknown when the value is missing


def predicates(tree: Tree, node: int) -> list[Lines]:
    """Return the predicate of every child of a split node."""
    name, gate = tree.variables[tree.variable[node]], int(tree.gate[node])
    if gate == BINARY:
        theta, closed = float(tree.threshold[node]), bool(tree.closed_le[node])
        left, right = ("lessOrEqual", "greaterThan") if closed else ("lessThan", "greaterOrEqual")
        return [simple(name, left, number(theta)), simple(name, right, number(theta))]
    if gate == MIDDLE:
        return middle_predicates(tree, node, name)
    if gate == NOMINAL:
        return nominal_predicates(tree, node, name)
    return [interval(name, *tree.bin_range(child)) for child in tree.children(node)]


def middle_predicates(tree: Tree, node: int, name: str) -> list[Lines]:
    """Return the predicates of left, middle and right, with the edges' own slack. METHODS §7"""
    low, high = float(tree.low[node]), float(tree.high[node])
    if high > low:
        near = SLACK * (0.5 * abs(low + high) + 0.5 * (high - low))
        low, high, left = low + near, high + near, "lessOrEqual"
    else:  # a zone of no width: nobody is in the middle
        low = high = float(tree.threshold[node])
        left = "lessOrEqual" if tree.closed_le[node] else "lessThan"
    right = "greaterThan" if left == "lessOrEqual" else "greaterOrEqual"
    inside = both(simple(name, right, number(low)), simple(name, left, number(high)))
    return [simple(name, left, number(low)), inside, simple(name, right, number(high))]


def nominal_predicates(tree: Tree, node: int, name: str) -> list[Lines]:
    """Return equality with each child's category."""
    categories = tree.categories[tree.variable[node]]
    assert categories is not None
    return [simple(name, "equal", text_of(categories[tree.code[child]])) for child in tree.children(node)]


def interval(name: str, low: float, high: float) -> Lines:
    """Return the predicate low < x <= high, an infinite end left open."""
    above = simple(name, "greaterThan", number(low)) if math.isfinite(low) else []
    upto = simple(name, "lessOrEqual", number(high)) if math.isfinite(high) else []
    return both(above, upto) if above and upto else above or upto


def simple(name: str, operator: str, value: str) -> Lines:
    """Return a comparison of a field with a value."""
    return element("SimplePredicate", {"field": name, "operator": operator, "value": value})


def both(first: Lines, second: Lines) -> Lines:
    """Return the predicate that holds when both do."""
    return element("CompoundPredicate", {"booleanOperator": "and"}, [*first, *second])


# XML


def element(tag: str, attributes: dict[str, str], inner: Iterable[str] = (), text: str = "") -> Lines:
    """Return an element, a tag a line."""
    opening, inside = f"<{tag}{attributes_text(attributes)}", list(inner)
    if text:
        return [f"{opening}>{escaped(text)}</{tag}>"]
    return [f"{opening}>", *inside, f"</{tag}>"] if inside else [f"{opening}/>"]


def each(tag: str, attribute: str, values: Iterable[Any]) -> Lines:
    """Return one element a value."""
    return [line for value in values for line in element(tag, {attribute: text_of(value)})]


def attributes_text(attributes: dict[str, str]) -> str:
    """Return attributes as they stand in a tag."""
    return "".join(f' {name}="{escaped(value)}"' for name, value in attributes.items())


def escaped(text: str) -> str:
    """Return text as it may stand in an element or attribute, line ends kept; refuse what XML cannot hold."""
    if NOT_XML.search(text):
        raise PenumbraError(
            "This tree cannot be written as PMML: a name holds a control character, which XML cannot; rename it."
        )
    for sign in '&<>"\t\n\r':
        text = text.replace(sign, f"&#{ord(sign)};")
    return text


def in_comment(text: str) -> str:
    """Return text on one line as it may stand in a comment, which may hold no two hyphens in a row."""
    return re.sub("-(?=-)", "- ", " ".join(text.split()))


def text_of(value: Any) -> str:
    """Return a class or category as PMML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else (number(value) if isinstance(value, float) else str(value))


def number(value: Any) -> str:
    """Return a number to its last digit."""
    return repr(float(value))


def unused(name: str, taken: Iterable[str]) -> str:
    """Return the name, with underscores where another field has it."""
    others = set(taken)
    while name in others:
        name += "_"
    return name
