"""The best split of a node: exact thresholds, the soft grid, resampled points, categories and bins, accuracy.

In: the patients at a node with their weights, the noise, the choices. Out: the best candidate, or every variable's.
"""

from engine.search.best import best_split, candidates, numeric_curve, split_entropy
from engine.search.by_value import child_codes, value_gate
from engine.search.candidate import Candidate
from engine.search.choices import Search
from engine.search.exact import TIE, exact_curve, place_threshold
from engine.search.limits import known_fraction, least_to_split, mdl_charge, minimum_weight
from engine.search.patients import Arrivals, arrivals
from engine.search.resampled import resampled_candidate, resampled_curve, weighed_points
from engine.search.soft import soft_candidate, soft_curve

__all__ = [
    "TIE",
    "Arrivals",
    "Candidate",
    "Search",
    "arrivals",
    "best_split",
    "candidates",
    "child_codes",
    "exact_curve",
    "known_fraction",
    "least_to_split",
    "mdl_charge",
    "minimum_weight",
    "numeric_curve",
    "place_threshold",
    "resampled_candidate",
    "resampled_curve",
    "soft_candidate",
    "soft_curve",
    "split_entropy",
    "value_gate",
    "weighed_points",
]
