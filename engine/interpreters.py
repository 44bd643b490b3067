"""The fixed programs that read an exported tree, as text: what they hold is the same for every model.

In: nothing. Out: Python and JavaScript that expect `MODEL`, a table that `engine.code_export` writes above them.
"""

from __future__ import annotations

PYTHON = r'''
import math

VARIABLES = MODEL["variables"]
CLASSES = tuple(MODEL["classes"])
INFINITY = float("inf")
SLACK = 1e-12
TRUNCATION = 2.0
BELOW_TRUNCATION = 0.5 * math.erfc(TRUNCATION / math.sqrt(2.0))
CODES = [
    None if variable["categories"] is None else {name: code for code, name in enumerate(variable["categories"])}
    for variable in VARIABLES
]


def predict_proba(patient):
    """Return {class: probability} for a patient, a dict {variable: value}; None, NaN or left out means missing."""
    return dict(zip(CLASSES, probabilities(reading(patient))))


def decide(patient):
    """Return the answer for a patient: a class, None for an abstention, a frozenset where the rule answers by sets."""
    p = probabilities(reading(patient))
    rule = MODEL["decision"]["rule"]
    if rule == "set":
        return named_set(p, MODEL["decision"]["tau"])
    if rule == "cost":
        return cheapest(p, MODEL["decision"]["cost"], MODEL["decision"]["abstain_cost"])
    best = first_largest(p)
    if rule == "tau" and p[best] < MODEL["decision"]["tau"] - SLACK:
        return None
    return CLASSES[best]


def first_largest(p):
    top = max(p)
    return next(k for k in range(len(p)) if p[k] >= top - SLACK)


def named_set(p, tau):
    left, named, total = list(p), [], 0.0
    while len(named) < len(p) and (not named or total < tau - SLACK):
        best = first_largest(left)
        named.append(CLASSES[best])
        total += left[best]
        left[best] = -INFINITY
    return frozenset(named)


def cheapest(p, cost, abstain_cost):
    expected = [sum(p[true] * cost[true][answer] for true in range(len(p))) for answer in range(len(p))]
    slack = SLACK * max(1.0, max(abs(each) for row in cost for each in row))
    least = min(expected)
    if abstain_cost is not None and least > abstain_cost + slack:
        return None
    return CLASSES[next(k for k in range(len(p)) if expected[k] <= least + slack)]


def reading(patient):
    if not (hasattr(patient, "keys") and hasattr(patient, "__getitem__")):
        raise ValueError("A patient is a dict {variable: value}; a variable that is left out is missing.")
    names = [variable["name"] for variable in VARIABLES]
    given = {name: patient[name] for name in patient.keys()}
    for name in given:
        if name not in names:
            known = ", ".join(map(repr, names))
            raise ValueError("There is no variable %.80r; the variables are %.800s." % (name, known))
    return [value_of(j, given.get(name)) for j, name in enumerate(names)]


def value_of(j, given):
    name, kind = VARIABLES[j]["name"], type(given).__name__
    if given is None or kind in ("NAType", "NaTType") or (isinstance(given, float) and given != given):
        return None
    if CODES[j] is not None:
        try:
            return CODES[j][given]
        except (KeyError, TypeError):
            raise ValueError(
                "Variable %r was given a category not met in training; correct it or leave it missing." % name
            ) from None
    is_number = isinstance(given, (int, float)) or kind.startswith(("int", "uint", "float"))
    if kind in ("bool", "bool_") or not is_number:
        raise ValueError("Variable %r is numeric but was given something that is no number." % name)
    try:
        number = float(given)
    except OverflowError:
        number = INFINITY
    if number != number:
        return None
    if abs(number) == INFINITY or sigma_at(number, VARIABLES[j]) == INFINITY:
        raise ValueError("Variable %r was given a number too large to compute with; correct it." % name)
    return number


def probabilities(x):
    out = [0.0] * len(CLASSES)
    for leaf, share in reached_leaves(x):
        answer = leaf["probability"] if leaf["bayes"] is None else posterior(leaf, x)
        for k in range(len(out)):
            out[k] += share * answer[k]
    if not all(p == p for p in out):
        raise ValueError("No probability could be computed; check that the numbers given are in the right unit.")
    return out


def reached_leaves(x):
    nodes, kind = MODEL["nodes"], MODEL["evaluation"]
    leaves, coming = [], [(nodes[0], 1.0, False)]
    for node, share, blended in coming:
        if node["children"] is None:
            leaves.append((node, share))
            continue
        value = x[node["variable"]]
        if value is None:
            parts = node["missing"]
        else:
            parts = gate_shares(value, node, "hard" if blended else kind)
            blended = blended or (kind == "deferred" and in_zone(value, node))
        coming.extend((nodes[c], share * p, blended) for c, p in zip(node["children"], parts) if share * p > 0.0)
    return leaves


def gate_shares(x, node, kind):
    variable = VARIABLES[node["variable"]]
    if node["gate"] == "nominal":
        return nominal_shares(x, node, variable, kind)
    sigma = sigma_at(x, variable) if kind in ("soft", "coherent") else 0.0
    if node["gate"] == "bins":
        return bin_shares(x, node, variable, sigma)
    if node["gate"] == "middle":
        return middle_shares(x, node, variable, sigma, kind)
    left = left_share(x, node, variable, sigma, kind)
    return [left, 1.0 - left]


def is_left(x, node):
    return x <= node["threshold"] if node["closed"] else x < node["threshold"]


def left_share(x, node, variable, sigma, kind):
    left = 1.0 if is_left(x, node) else 0.0
    if kind in ("zone", "deferred") and has_zone(node):
        side = zone_side(x, node)
        return ramp(x, node) if side == 0 else (1.0 if side < 0 else 0.0)
    if sigma == 0.0:
        return left
    theta, shape = (node["threshold"] - x) / sigma, variable["shape"]
    if kind == "soft":
        return cdf(theta, shape)
    low, high = [(end - x) / sigma for end in box(node)]
    whole = mass(low, high, shape)
    if whole > 0.0:
        return min(1.0, mass(low, theta, shape) / whole)
    return 1.0 if low >= 0.0 else 0.0


def box(node):
    low, high = node["box"]
    return (-INFINITY if low is None else low), (INFINITY if high is None else high)


def has_zone(node):
    return node["zone"] is not None and node["zone"][1] > node["zone"][0]


def in_zone(x, node):
    return has_zone(node) and zone_side(x, node) == 0


def zone_side(x, node):
    low, high = node["zone"]
    near = SLACK * (0.5 * abs(low + high) + 0.5 * (high - low))
    return -1 if x <= low + near else (0 if x <= high + near else 1)


def ramp(x, node):
    (low, high), theta = node["zone"], node["threshold"]
    if x <= theta:
        if theta > low:
            return min(1.0, max(0.5, 1.0 - 0.5 * (x - low) / (theta - low)))
        return 0.5 if x > low else 1.0
    return min(0.5, max(0.0, 0.5 * (high - x) / (high - theta))) if high > theta else 0.0


def middle_shares(x, node, variable, sigma, kind):
    if sigma == 0.0:
        side = zone_side(x, node) if has_zone(node) else (-1 if is_left(x, node) else 1)
        return [1.0 if side == each else 0.0 for each in (-1, 0, 1)]
    a, b = box(node) if kind == "coherent" else (-INFINITY, INFINITY)
    low, high = node["zone"]
    first, last = min(max(low, a), b), min(max(high, a), b)
    edges = [(edge - x) / sigma for edge in (a, first, last, b)]
    parts = [mass(edges[c], edges[c + 1], variable["shape"]) for c in range(3)]
    whole = parts[0] + parts[1] + parts[2]
    if whole > 0.0:
        return [part / whole for part in parts]
    if x <= a:
        nearest = 0 if first > a else (1 if last > first else 2)
    else:
        nearest = 2 if b > last else (1 if last > first else 0)
    return [1.0 if c == nearest else 0.0 for c in range(3)]


def nominal_shares(recorded, node, variable, kind):
    n = len(variable["categories"])
    epsilon = variable["misrecord"] if kind in ("soft", "coherent") and n > 1 else 0.0
    other = epsilon / max(1, n - 1)
    named = [code for code in node["codes"] if code >= 0]
    absent = n - len(named)
    rest = absent * other if recorded in named else 1.0 - epsilon + (absent - 1) * other
    return [rest if code < 0 else (1.0 - epsilon if code == recorded else other) for code in node["codes"]]


def bin_of(x, cuts):
    return sum(1 for cut in cuts if x > cut)


def bin_shares(x, node, variable, sigma):
    cuts, parts, covered = variable["cuts"], [], 0.0
    own = bin_of(x, cuts)
    for code in node["codes"]:
        if code < 0:
            parts.append(None)
            continue
        if sigma > 0.0:
            below = (cuts[code - 1] - x) / sigma if code > 0 else -INFINITY
            above = (cuts[code] - x) / sigma if code < len(cuts) else INFINITY
            parts.append(mass(below, above, variable["shape"]))
        else:
            parts.append(1.0 if code == own else 0.0)
        covered += parts[-1]
    return [max(0.0, 1.0 - covered) if part is None else part for part in parts]


def posterior(leaf, x):
    table = MODEL["bayes"][leaf["bayes"]]
    out = [math.log(p) if p > 0.0 else -INFINITY for p in leaf["probability"]]
    for j, value in enumerate(x):
        if value is None:
            continue
        cell = value if CODES[j] is not None else bin_of(value, VARIABLES[j]["cuts"])
        for k, term in enumerate(table[VARIABLES[j]["first_cell"] + cell]):
            out[k] += term
    top = max(out)
    raised = [math.exp(each - top) for each in out]
    total = sum(raised)
    return [each / total for each in raised]


def sigma_at(x, variable):
    return math.hypot(variable["sigma"], variable["cv"] * x) if variable["cv"] > 0.0 else variable["sigma"]


def mass(low, high, shape):
    if high <= low:
        return 0.0
    if low > 0.0:
        return cdf(-low, shape) - cdf(-high, shape)
    return cdf(high, shape) - cdf(low, shape)


def cdf(z, shape):
    if shape == "truncated":
        if abs(z) >= TRUNCATION:
            return 0.0 if z < 0.0 else 1.0
        return (0.5 * math.erfc(-z * 0.7071067811865476) - BELOW_TRUNCATION) / (1.0 - 2.0 * BELOW_TRUNCATION)
    if shape == "normal":
        return 0.5 * math.erfc(-z * 0.7071067811865476)
    if shape == "uniform":
        return min(1.0, max(0.0, 0.5 + z * 0.28867513459481287))
    if shape == "laplace":
        tail = 0.5 * math.exp(-1.4142135623730951 * abs(z))
    else:
        odds = math.exp(-1.8137993642342178 * abs(z))
        if z >= 0.0:
            return 1.0 / (1.0 + odds)
        tail = odds / (1.0 + odds)
    return tail if z < 0.0 else 1.0 - tail
'''

JAVASCRIPT = r"""
const VARIABLES = MODEL.variables;
const classes = MODEL.classes;
const SLACK = 1e-12;
const CODES = VARIABLES.map((variable) =>
  variable.categories === null ? null : new Map(variable.categories.map((name, code) => [name, code])));

// {class: probability} for a patient, an object {variable: value}; null, undefined, NaN or left out means missing.
function predict_proba(patient) {
  const p = probabilities(reading(patient));
  const out = Object.create(null);
  classes.forEach((name, k) => { out[String(name)] = p[k]; });
  return out;
}

// The answer for a patient: a class, null for an abstention, an array of classes where the rule answers by sets.
function decide(patient) {
  const p = probabilities(reading(patient));
  const { rule, tau, cost, abstain_cost } = MODEL.decision;
  if (rule === "set") return namedSet(p, tau);
  if (rule === "cost") return cheapest(p, cost, abstain_cost);
  const best = firstLargest(p);
  return rule === "tau" && p[best] < tau - SLACK ? null : classes[best];
}

function firstLargest(p) {
  const top = Math.max(...p);
  return p.findIndex((each) => each >= top - SLACK);
}

function namedSet(p, tau) {
  const left = p.slice(), named = new Set();
  let total = 0;
  while (named.size < p.length && (named.size === 0 || total < tau - SLACK)) {
    const best = firstLargest(left);
    named.add(best);
    total += left[best];
    left[best] = -Infinity;
  }
  return classes.filter((name, k) => named.has(k));
}

function cheapest(p, cost, abstainCost) {
  const expected = p.map((unused, answer) => p.reduce((sum, each, truth) => sum + each * cost[truth][answer], 0));
  const slack = SLACK * Math.max(1, ...cost.map((row) => Math.max(...row.map(Math.abs))));
  const least = Math.min(...expected);
  if (abstainCost !== null && least > abstainCost + slack) return null;
  return classes[expected.findIndex((each) => each <= least + slack)];
}

function reading(patient) {
  if (Object.prototype.toString.call(patient) !== "[object Object]") { // a Map would look as if all were missing
    throw new TypeError("A patient is an object {variable: value}; a variable that is left out is missing.");
  }
  const names = VARIABLES.map((variable) => variable.name);
  for (const name of Object.keys(patient)) {
    if (!names.includes(name)) {
      throw new RangeError("There is no variable " + JSON.stringify(name.slice(0, 80)) + "; the variables are " +
        names.map((each) => JSON.stringify(each)).join(", ").slice(0, 800) + ".");
    }
  }
  return names.map((name, j) =>
    valueOf(j, Object.prototype.hasOwnProperty.call(patient, name) ? patient[name] : null));
}

function valueOf(j, given) {
  if (given === null || given === undefined || Number.isNaN(given)) return null;
  const name = JSON.stringify(VARIABLES[j].name);
  if (CODES[j] !== null) {
    if (CODES[j].has(given)) return CODES[j].get(given);
    throw new RangeError(
      "Variable " + name + " was given a category not met in training; correct it or leave it missing.");
  }
  if (typeof given !== "number") {
    throw new TypeError("Variable " + name + " is numeric but was given something that is no number.");
  }
  if (!Number.isFinite(given) || !Number.isFinite(sigmaAt(given, VARIABLES[j]))) {
    throw new RangeError("Variable " + name + " was given a number too large to compute with; correct it.");
  }
  return given;
}

function probabilities(x) {
  const out = classes.map(() => 0);
  for (const [leaf, share] of reachedLeaves(x)) {
    const answer = leaf.bayes === null ? leaf.probability : posterior(leaf, x);
    for (let k = 0; k < out.length; k++) out[k] += share * answer[k];
  }
  if (out.some(Number.isNaN)) {
    throw new RangeError("No probability could be computed; check that the numbers given are in the right unit.");
  }
  return out;
}

function reachedLeaves(x) {
  const kind = MODEL.evaluation, leaves = [], coming = [[0, 1, false]];
  for (let place = 0; place < coming.length; place++) {
    const [at, share, above] = coming[place], node = MODEL.nodes[at];
    if (node.children === null) {
      leaves.push([node, share]);
      continue;
    }
    const value = x[node.variable];
    let parts = node.missing, blended = above;
    if (value !== null) {
      parts = gateShares(value, node, above ? "hard" : kind);
      blended = above || (kind === "deferred" && inZone(value, node));
    }
    node.children.forEach((child, c) => {
      if (share * parts[c] > 0) coming.push([child, share * parts[c], blended]);
    });
  }
  return leaves;
}

function gateShares(x, node, kind) {
  const variable = VARIABLES[node.variable];
  if (node.gate === "nominal") return nominalShares(x, node, variable, kind);
  const sigma = kind === "soft" || kind === "coherent" ? sigmaAt(x, variable) : 0;
  if (node.gate === "bins") return binShares(x, node, variable, sigma);
  if (node.gate === "middle") return middleShares(x, node, variable, sigma, kind);
  const left = leftShare(x, node, variable, sigma, kind);
  return [left, 1 - left];
}

function isLeft(x, node) {
  return node.closed ? x <= node.threshold : x < node.threshold;
}

function leftShare(x, node, variable, sigma, kind) {
  if ((kind === "zone" || kind === "deferred") && hasZone(node)) {
    const side = zoneSide(x, node);
    return side === 0 ? ramp(x, node) : (side < 0 ? 1 : 0);
  }
  if (sigma === 0) return isLeft(x, node) ? 1 : 0;
  const theta = (node.threshold - x) / sigma, shape = variable.shape;
  if (kind === "soft") return cdf(theta, shape);
  const [low, high] = box(node).map((end) => (end - x) / sigma);
  const whole = mass(low, high, shape);
  if (whole > 0) return Math.min(1, mass(low, theta, shape) / whole);
  return low >= 0 ? 1 : 0;
}

function box(node) {
  const [low, high] = node.box;
  return [low === null ? -Infinity : low, high === null ? Infinity : high];
}

function hasZone(node) {
  return node.zone !== null && node.zone[1] > node.zone[0];
}

function inZone(x, node) {
  return hasZone(node) && zoneSide(x, node) === 0;
}

function zoneSide(x, node) {
  const [low, high] = node.zone;
  const near = SLACK * (0.5 * Math.abs(low + high) + 0.5 * (high - low));
  return x <= low + near ? -1 : (x <= high + near ? 0 : 1);
}

function ramp(x, node) {
  const [low, high] = node.zone, theta = node.threshold;
  if (x <= theta) {
    if (theta > low) return Math.min(1, Math.max(0.5, 1 - 0.5 * (x - low) / (theta - low)));
    return x > low ? 0.5 : 1;
  }
  return high > theta ? Math.min(0.5, Math.max(0, 0.5 * (high - x) / (high - theta))) : 0;
}

function middleShares(x, node, variable, sigma, kind) {
  if (sigma === 0) {
    const side = hasZone(node) ? zoneSide(x, node) : (isLeft(x, node) ? -1 : 1);
    return [-1, 0, 1].map((each) => (side === each ? 1 : 0));
  }
  const [a, b] = kind === "coherent" ? box(node) : [-Infinity, Infinity];
  const [first, last] = node.zone.map((edge) => Math.min(Math.max(edge, a), b));
  const edges = [a, first, last, b].map((edge) => (edge - x) / sigma);
  const parts = [0, 1, 2].map((c) => mass(edges[c], edges[c + 1], variable.shape));
  const whole = parts[0] + parts[1] + parts[2];
  if (whole > 0) return parts.map((part) => part / whole);
  const nearest = x <= a ? (first > a ? 0 : (last > first ? 1 : 2)) : (b > last ? 2 : (last > first ? 1 : 0));
  return [0, 1, 2].map((c) => (c === nearest ? 1 : 0));
}

function nominalShares(recorded, node, variable, kind) {
  const n = variable.categories.length;
  const epsilon = (kind === "soft" || kind === "coherent") && n > 1 ? variable.misrecord : 0;
  const other = epsilon / Math.max(1, n - 1);
  const named = node.codes.filter((code) => code >= 0), absent = n - named.length;
  const rest = named.includes(recorded) ? absent * other : 1 - epsilon + (absent - 1) * other;
  return node.codes.map((code) => (code < 0 ? rest : (code === recorded ? 1 - epsilon : other)));
}

function binOf(x, cuts) {
  return cuts.filter((cut) => x > cut).length;
}

function binShares(x, node, variable, sigma) {
  const cuts = variable.cuts, own = binOf(x, cuts);
  let covered = 0;
  const parts = node.codes.map((code) => {
    if (code < 0) return null;
    let part = code === own ? 1 : 0;
    if (sigma > 0) {
      const below = code > 0 ? (cuts[code - 1] - x) / sigma : -Infinity;
      const above = code < cuts.length ? (cuts[code] - x) / sigma : Infinity;
      part = mass(below, above, variable.shape);
    }
    covered += part;
    return part;
  });
  return parts.map((part) => (part === null ? Math.max(0, 1 - covered) : part));
}

function posterior(leaf, x) {
  const table = MODEL.bayes[leaf.bayes];
  const out = leaf.probability.map((p) => (p > 0 ? Math.log(p) : -Infinity));
  x.forEach((value, j) => {
    if (value === null) return;
    const cell = CODES[j] !== null ? value : binOf(value, VARIABLES[j].cuts);
    table[VARIABLES[j].first_cell + cell].forEach((term, k) => { out[k] += term; });
  });
  const top = Math.max(...out);
  const raised = out.map((each) => Math.exp(each - top));
  const total = raised.reduce((sum, each) => sum + each, 0);
  return raised.map((each) => each / total);
}

function sigmaAt(x, variable) {
  return variable.cv > 0 ? Math.hypot(variable.sigma, variable.cv * x) : variable.sigma;
}

function mass(low, high, shape) {
  if (high <= low) return 0;
  if (low > 0) return cdf(-low, shape) - cdf(-high, shape);
  return cdf(high, shape) - cdf(low, shape);
}

function cdf(z, shape) {
  if (shape === "truncated") {
    if (Math.abs(z) >= 2) return z < 0 ? 0 : 1;
    const below = 0.5 * erfc(2 / Math.sqrt(2));
    return (0.5 * erfc(-z * 0.7071067811865476) - below) / (1 - 2 * below);
  }
  if (shape === "normal") return 0.5 * erfc(-z * 0.7071067811865476);
  if (shape === "uniform") return Math.min(1, Math.max(0, 0.5 + z * 0.28867513459481287));
  if (shape === "laplace") {
    const half = 0.5 * Math.exp(-1.4142135623730951 * Math.abs(z));
    return z < 0 ? half : 1 - half;
  }
  const odds = Math.exp(-1.8137993642342178 * Math.abs(z));
  return z < 0 ? odds / (1 + odds) : 1 / (1 + odds);
}

// erfc by the rational Chebyshev approximations of W. J. Cody, Mathematics of Computation 23 (1969), 631-637.
const NEAR = [[1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2,
  3.20937758913846947e3], [1, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
  2.84423683343917062e3]];
const MIDDLE = [[2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
  2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
  1.23033935479799725e3], [1, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
  1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3,
  1.23033935480374942e3]];
const FAR = [[1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
  1.60837851487422766e-2, 6.58749161529837803e-4], [1, 2.56852019228982242, 1.87295284992346725,
  5.27905102951428412e-1, 6.05183413124413191e-2, 2.33520497626869185e-3]];

function ratio([above, below], t) {
  const at = (coefficients) => coefficients.reduce((sum, each) => sum * t + each, 0);
  return at(above) / at(below);
}

function erfc(x) {
  const y = Math.abs(x);
  if (y <= 0.46875) return 1 - x * ratio(NEAR, y * y);
  if (y > 28) return x < 0 ? 2 : 0;
  const inverse = 1 / (y * y);
  const scaled = y <= 4 ? ratio(MIDDLE, y) : (0.5641895835477562869 - inverse * ratio(FAR, inverse)) / y;
  const coarse = Math.trunc(y * 16) / 16, half = Math.exp(-0.5 * coarse * coarse);
  const tail = half * (scaled * Math.exp(-(y - coarse) * (y + coarse))) * half;
  return x < 0 ? 2 - tail : tail;
}
"""
