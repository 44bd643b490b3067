"""A naive reader of PMML 4.4 tree models, written from the standard's words alone; it imports nothing of the engine.

In: PMML text, patients as dicts of texts and numbers. Out: probabilities and output fields; faults of structure.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

SPACE = "{http://www.dmg.org/PMML-4_4}"
PREDICATES = {"SimplePredicate", "CompoundPredicate", "SimpleSetPredicate", "True", "False"}
# What each element may hold, in the order of the 4.4 schema: (names, least, most); None = any number.
CONTENT = {
    "PMML": [({"Header"}, 1, 1), ({"DataDictionary"}, 1, 1), ({"TreeModel"}, 1, 1)],
    "Header": [({"Application"}, 0, 1)],
    "Application": [],
    "DataDictionary": [({"DataField"}, 1, None)],
    "DataField": [({"Interval"}, 0, None), ({"Value"}, 0, None)],
    "Value": [],
    "TreeModel": [({"MiningSchema"}, 1, 1), ({"Output"}, 0, 1), ({"Node"}, 1, 1)],
    "MiningSchema": [({"MiningField"}, 1, None)],
    "MiningField": [],
    "Output": [({"OutputField"}, 1, None)],
    "OutputField": [({"Apply"}, 0, 1)],
    "Apply": [({"Apply", "FieldRef", "Constant"}, 1, None)],
    "FieldRef": [],
    "Constant": [],
    "Node": [(PREDICATES, 1, 1), ({"ScoreDistribution"}, 0, None), ({"Node"}, 0, None)],
    "ScoreDistribution": [],
    "SimplePredicate": [],
    "CompoundPredicate": [(PREDICATES, 2, None)],
    "True": [],
}
# Required and optional attributes.
ATTRIBUTES = {
    "PMML": ({"version"}, set()),
    "Header": (set(), {"copyright", "description", "modelVersion"}),
    "Application": ({"name"}, {"version"}),
    "DataDictionary": (set(), {"numberOfFields"}),
    "DataField": ({"name", "optype", "dataType"}, {"displayName"}),
    "Value": ({"value"}, {"displayValue", "property"}),
    "TreeModel": ({"functionName"}, {"modelName", "algorithmName", "missingValueStrategy", "missingValuePenalty",
                                     "noTrueChildStrategy", "splitCharacteristic", "isScorable"}),
    "MiningSchema": (set(), set()),
    "MiningField": ({"name"}, {"usageType", "optype", "importance", "invalidValueTreatment"}),
    "Output": (set(), set()),
    "OutputField": ({"name", "dataType"}, {"optype", "feature", "value", "displayName"}),
    "Apply": ({"function"}, {"mapMissingTo", "defaultValue", "invalidValueTreatment"}),
    "FieldRef": ({"field"}, {"mapMissingTo"}),
    "Constant": (set(), {"dataType"}),
    "Node": (set(), {"id", "score", "recordCount", "defaultChild"}),
    "ScoreDistribution": ({"value", "recordCount"}, {"confidence", "probability"}),
    "SimplePredicate": ({"field", "operator"}, {"value"}),
    "CompoundPredicate": ({"booleanOperator"}, set()),
    "True": (set(), set()),
}  # fmt: skip
COMPARE = {
    "equal": lambda a, b: a == b, "notEqual": lambda a, b: a != b, "lessThan": lambda a, b: a < b,
    "lessOrEqual": lambda a, b: a <= b, "greaterThan": lambda a, b: a > b, "greaterOrEqual": lambda a, b: a >= b,
}  # fmt: skip


def name_of(element):
    """Return an element's name without its namespace, which must be PMML 4.4's."""
    assert element.tag.startswith(SPACE), element.tag
    return element.tag.removeprefix(SPACE)


def faults(text):
    """Return what is wrong with the structure of a document, as sentences."""
    root = ET.fromstring(text)
    return [fault for element in root.iter() for fault in element_faults(element)]


def element_faults(element):
    """Return what is wrong with one element's attributes and with the order and number of what it holds."""
    name = name_of(element)
    required, optional = ATTRIBUTES[name]
    given, found = set(element.attrib), []
    if required - given or given - required - optional:
        found.append(f"{name} has the attributes {sorted(given)}")
    children, place = [name_of(child) for child in element], 0
    for names, least, most in CONTENT[name]:
        count = 0
        while place < len(children) and children[place] in names:
            place, count = place + 1, count + 1
        if count < least or (most is not None and count > most):
            found.append(f"{name} holds {count} of {sorted(names)}")
    if place < len(children):
        found.append(f"{name} holds {children[place]} out of its order")
    return found


class Document:
    """A PMML document with one tree model."""

    def __init__(self, text):
        root = ET.fromstring(text)
        self.types = {f.get("name"): f.get("dataType") for f in root.iter(f"{SPACE}DataField")}
        self.values = {
            f.get("name"): [self.cast(f.get("dataType"), v.get("value")) for v in f.findall(f"{SPACE}Value")]
            for f in root.iter(f"{SPACE}DataField")
        }
        self.model = root.find(f"{SPACE}TreeModel")
        self.root = self.model.find(f"{SPACE}Node")
        fields = self.model.find(f"{SPACE}MiningSchema").findall(f"{SPACE}MiningField")
        self.active = [f.get("name") for f in fields if f.get("usageType", "active") == "active"]
        (self.target,) = [f.get("name") for f in fields if f.get("usageType") == "target"]
        assert self.model.get("missingValueStrategy") == "weightedConfidence"

    @staticmethod
    def cast(kind, text):
        """Return a value of a document in its type."""
        return {"string": str, "double": float, "integer": int, "boolean": lambda t: t == "true"}[kind](text)

    @property
    def classes(self):
        return self.values[self.target]

    def predicate(self, element, x):
        """Return True, False, or None for UNKNOWN."""
        name = name_of(element)
        if name == "True":
            return True
        if name == "SimplePredicate":
            field = element.get("field")
            if x.get(field) is None:
                return None
            return COMPARE[element.get("operator")](x[field], self.cast(self.types[field], element.get("value")))
        held = [self.predicate(part, x) for part in element]
        decisive = element.get("booleanOperator") == "or"  # one True settles "or", one False settles "and"
        if decisive in held:
            return decisive
        return None if None in held else not decisive

    def confidences(self, node, x):
        """Return the confidence of every class from `node`, by weightedConfidence where a value is missing."""
        children = node.findall(f"{SPACE}Node")
        if not children:
            scores = {s.get("value"): float(s.get("confidence")) for s in node.findall(f"{SPACE}ScoreDistribution")}
            return {self.cast(self.types[self.target], value): c for value, c in scores.items()}
        truths = [self.predicate(child[0], x) for child in children]
        for child, truth in zip(children, truths, strict=True):
            if truth is True:
                assert truths.count(True) == 1, "two children are true, so that their order would decide"
                return self.confidences(child, x)
        open_children = [c for c, truth in zip(children, truths, strict=True) if truth is None]
        assert open_children, "no child is true: the model would give no prediction"
        records = [float(child.get("recordCount")) for child in open_children]
        total = dict.fromkeys(self.classes, 0.0)
        for child, count in zip(open_children, records, strict=True):
            for name, confidence in self.confidences(child, x).items():
                total[name] += count / math.fsum(records) * confidence
        return total

    def score(self, x):
        """Return {class: probability} and the output fields of a patient {field: value}, None or left out = missing."""
        assert set(x) <= set(self.active)
        for field, value in x.items():
            assert value is None or not self.values[field] or value in self.values[field], "an invalid value"
        p = self.confidences(self.root, x)
        outputs = {}
        for field in self.model.find(f"{SPACE}Output"):
            feature = field.get("feature")
            if feature == "predictedValue":
                outputs[field.get("name")] = max(self.classes, key=lambda name: p[name])
            elif feature == "probability":
                outputs[field.get("name")] = p[self.cast(self.types[self.target], field.get("value"))]
            else:
                assert feature == "transformedValue"
                outputs[field.get("name")] = self.expression(field[0], outputs)
        return p, outputs

    def expression(self, element, fields):
        """Return the value of an expression over the output fields before it, None = missing."""
        name = name_of(element)
        if name == "FieldRef":
            return fields[element.get("field")]
        if name == "Constant":
            return self.cast(element.get("dataType"), element.text)
        function = element.get("function")
        if function == "if":
            condition, then = element
            return self.expression(then, fields) if self.expression(condition, fields) else None
        held = [self.expression(part, fields) for part in element]
        return {"max": max, "greaterOrEqual": lambda pair: pair[0] >= pair[1]}[function](held)
