"""How good answers, probabilities, verdicts and zones are: every figure a comparison of trees shows.

In: true labels, answers, probabilities, verdicts of patients the tree has not seen; figures of folds or data sets.
Out: plain numbers and small frozen records; None where a figure is undefined, never NaN.

A true label is precise when it names one class; patients with an imprecise one count in rates of abstention and of
verdicts only. An answer of one class, or of a set of one, is answered; None and larger sets are not. Every patient
counts once, whatever its weight in training.
"""

from engine.metrics.answers import (
    Aggregate,
    abstention_rate,
    accuracy,
    answer_table,
    balanced_accuracy,
    f1_score,
    macro_f1,
    mean_cost,
    mean_set_size,
    set_coverage,
    two_class_aggregate,
)
from engine.metrics.bayes_error import bayes_error_bound, cover_hart, nearest_neighbour_error
from engine.metrics.curves import (
    CoverageCurve,
    DecisionCurve,
    RocCurve,
    accuracy_coverage,
    auc_by_class,
    macro_auc,
    net_benefit,
    roc_curve,
)
from engine.metrics.intervals import mean_interval, rate_interval
from engine.metrics.precise import code_of, mean_or_none, single_class
from engine.metrics.probabilities import (
    Bin,
    brier_score,
    class_scores,
    confidence,
    expected_calibration_error,
    reliability,
)
from engine.metrics.signed_ranks import PairedTest, wilcoxon
from engine.metrics.zones import ZoneMetrics, efficiency, mean_efficiency, ub_ratio, zone_metrics

__all__ = [
    "Aggregate",
    "Bin",
    "CoverageCurve",
    "DecisionCurve",
    "PairedTest",
    "RocCurve",
    "ZoneMetrics",
    "abstention_rate",
    "accuracy",
    "accuracy_coverage",
    "answer_table",
    "auc_by_class",
    "balanced_accuracy",
    "bayes_error_bound",
    "brier_score",
    "class_scores",
    "code_of",
    "confidence",
    "cover_hart",
    "efficiency",
    "expected_calibration_error",
    "f1_score",
    "macro_auc",
    "macro_f1",
    "mean_cost",
    "mean_efficiency",
    "mean_interval",
    "mean_or_none",
    "mean_set_size",
    "nearest_neighbour_error",
    "net_benefit",
    "rate_interval",
    "reliability",
    "roc_curve",
    "set_coverage",
    "single_class",
    "two_class_aggregate",
    "ub_ratio",
    "wilcoxon",
    "zone_metrics",
]
