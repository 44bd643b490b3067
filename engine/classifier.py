"""`UncertainTreeClassifier` and `variant`: the scikit-learn face of the engine.

In: DataFrames or arrays, labels, `Noise`, one choice per axis. Out: a fitted tree and what it says of patients.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from engine import model_file
from engine.case import Case, Reader, make_case
from engine.decide import cheapest, check_costs, most_probable
from engine.errors import PenumbraError
from engine.fitting import check_labels, fit_tree, make_search
from engine.labels import is_missing, read_labels
from engine.names import listed
from engine.noise import Noise, width_noise
from engine.patient_row import one_row
from engine.recipe import DEFAULTS, VARIANTS, Recipe, refusal, seed_of
from engine.route import decided, hard_leaves, leaf_shares, mixture, training_weights
from engine.schema import Schema, read_schema
from engine.search import Search
from engine.table import LabelSets, Table
from engine.weights import class_weights, read_weights, refuse_extreme

Floats = NDArray[np.float64]
NOISES = ("noise", "noise_search", "noise_propagation", "noise_evaluation")
CALIBRATED = ("zone_factor_", "zone_rate_", "zone_target_", "_uncalibrated_tree")  # what calibrate_zones leaves
READING = ("evaluation", "decision", "tau", "cost", "abstain_cost")


class UncertainTreeClassifier(ClassifierMixin, BaseEstimator):
    """A decision tree that knows how sure it is: one choice on each of METHODS' axes. [S], [T], [W], [C]

    Parameters
    ----------
    criterion : "information_gain", "gain_ratio", "gini" or "nb_accuracy". search : "exact", "soft" or "resampled".
    propagation : "hard", "soft" or "conditional". branching : "binary", "middle" or "nary".
    zone : "none", "margin", "node_bootstrap", "quality_plateau", "class_overlap", "gain_ratio", "quinlan" or "noise".
    pruning : "none", "pessimistic", "nb_accuracy" or "pessimistic+nb_accuracy".
    leaf : "frequency", "laplace" or "naive_bayes". evaluation : "hard", "soft", "coherent", "zone" or "deferred".
    decision : "argmax", "tau", "cost" or "set".
        The axes. A combination that METHODS §0.1 refuses is refused at fit, in a sentence that names both choices.
    threshold : "value", "midpoint" or "observed", where an exact threshold stands. §4
    tau : probability from which `decision="tau"` answers, and which the sum of a `decision="set"` reaches. [W], §6
    cost : (K, K) cost[true, answer] in the order of classes_, for `decision="cost"`; abstain_cost : the cost of
        abstaining in the same unit, None = abstaining is no answer. [W], §6
    window, resolution : the soft grid reaches window/2 σ beyond the values, in steps of resolution σ. [S], §4
    confidence : of pessimistic pruning, between 0 and 1: the lower, the smaller the tree. pruning_laplace : whether its
        errors are counted on Laplace-smoothed leaves. [S], §5
    mdl_correction : whether a numeric gain ratio pays for the number of cuts tried, as C4.5 release 8 does. §4
    max_depth : None = no limit. min_weight_leaf : least weight of either side of a numeric split, or "c45" for the
        rule of release 8; two children of a split into categories or bins must hold it, others may be lighter. §4
    min_weight_split : least weight of a node that is split. weight_floor : a piece of a patient that is a smaller part
        of it goes whole to the heaviest child. §5
    n_points : points that stand for a value in `search="resampled"`. width : UDT's own noise instead of a stated one,
        σ = width·range/4. [S], §4
    epsilon, alpha, percentile, n_bootstraps : of the zones quality_plateau, gain_ratio, class_overlap, node_bootstrap;
        n_bootstraps None = by the size of the training set. zone_z : half-width of `zone="noise"` in σ. [T], §7
    n_bins : bins of a numeric variable, for `branching="nary"` and naive Bayes leaves. [C], §8
    min_samples_middle : patients from whom a middle child is grown further. [T], §7
    class_weight : None, "balanced": n / (K · n_class) over precise labels, or a dict {class: weight}, 1 for classes it
        does not name; imprecise labels weigh 1. It multiplies sample_weight.
    nominal : names or positions of columns to read as nominal beside text, categorical and boolean ones.
    noise : `Noise`, measurement error per variable in its own unit; None = exact.
    noise_search, noise_propagation, noise_evaluation : `Noise` for one use alone, in place of `noise`.
    u_s, u_p, u_e : factors on σ in search, propagation and evaluation. [S]
    random_state : seed of whatever draws (the bootstrap zone, folds): a whole number, a RandomState or a Generator;
        None = 0, so that the same patients always give the same tree.

    Attributes
    ----------
    tree_ : Tree. classes_ : (K,). n_leaves_, depth_, n_features_in_ : int. feature_importances_ : (M,), sums to 1.
    feature_names_in_ : (M,), when X had names. schema_ : Schema. recipe_ : Recipe. notes_ : sentences from the fit.
    noise_search_, noise_propagation_, noise_evaluation_ : ResolvedNoise, the factors u included.
    zone_factor_, zone_rate_, zone_target_ : float, after `calibrate_zones`: the factor on every δ, the out-of-fold
        undecided rate it reached, the rate it aimed at. A model read from a file has the factor alone.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"glucose": [88.0, 95.0, 142.0, 160.0]})
    >>> model = UncertainTreeClassifier(search="soft", min_weight_leaf=1, noise=Noise(sigma={"glucose": 8.0}))
    >>> model.fit(X, ["no", "no", "yes", "yes"]).predict(X).tolist()
    ['no', 'no', 'yes', 'yes']
    """

    def __init__(
        self,
        *,
        criterion: str = "information_gain",
        search: str = "exact",
        threshold: str = "midpoint",
        propagation: str = "hard",
        branching: str = "binary",
        zone: str = "none",
        pruning: str = "none",
        leaf: str = "frequency",
        evaluation: str = "hard",
        decision: str = "argmax",
        tau: float = 0.7,
        cost: Any = None,
        abstain_cost: float | None = None,
        window: float = 6.0,
        resolution: float = 0.1,
        confidence: float = 0.25,
        pruning_laplace: bool = True,
        mdl_correction: bool = False,
        max_depth: int | None = None,
        min_weight_leaf: float | str = 2,
        min_weight_split: float = 2,
        weight_floor: float = 1e-4,
        n_points: int = 100,
        width: float | None = None,
        epsilon: float = 0.05,
        alpha: float = 0.1,
        percentile: float = 10,
        n_bootstraps: int | None = None,
        zone_z: float = 1.96,
        n_bins: int = 10,
        min_samples_middle: int = 5,
        class_weight: str | Mapping[Any, float] | None = None,
        nominal: Sequence[Any] | None = None,
        noise: Noise | None = None,
        noise_search: Noise | None = None,
        noise_propagation: Noise | None = None,
        noise_evaluation: Noise | None = None,
        u_s: float = 1.0,
        u_p: float = 1.0,
        u_e: float = 1.0,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.search = search
        self.threshold = threshold
        self.propagation = propagation
        self.branching = branching
        self.zone = zone
        self.pruning = pruning
        self.leaf = leaf
        self.evaluation = evaluation
        self.decision = decision
        self.tau = tau
        self.cost = cost
        self.abstain_cost = abstain_cost
        self.window = window
        self.resolution = resolution
        self.confidence = confidence
        self.pruning_laplace = pruning_laplace
        self.mdl_correction = mdl_correction
        self.max_depth = max_depth
        self.min_weight_leaf = min_weight_leaf
        self.min_weight_split = min_weight_split
        self.weight_floor = weight_floor
        self.n_points = n_points
        self.width = width
        self.epsilon = epsilon
        self.alpha = alpha
        self.percentile = percentile
        self.n_bootstraps = n_bootstraps
        self.zone_z = zone_z
        self.n_bins = n_bins
        self.min_samples_middle = min_samples_middle
        self.class_weight = class_weight
        self.nominal = nominal
        self.noise = noise
        self.noise_search = noise_search
        self.noise_propagation = noise_propagation
        self.noise_evaluation = noise_evaluation
        self.u_s = u_s
        self.u_p = u_p
        self.u_e = u_e
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        rows = self.cost.shape[:1] if isinstance(self.cost, np.ndarray) else isinstance(self.cost, Sequence) and (
            len(self.cost),
        )
        tags.classifier_tags.multi_class = rows != (2,)  # costs of two classes leave room for no third
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> UncertainTreeClassifier:
        """Grow, prune and settle the tree.

        Parameters
        ----------
        X : DataFrame or array (n, M), NaN = missing; text and categorical columns are nominal.
        y : n labels: a class; None or NaN = unlabelled; a set, tuple or list = partial label. [W]
        sample_weight : (n,) weights, 0 leaves a patient out.

        Raises
        ------
        PenumbraError
            One sentence that names the column or choice and what to do.

        Examples
        --------
        >>> model = variant("TWDT", max_depth=1)  # one label is None: the doctor left it open
        >>> model.fit([[88.0], [95.0], [120.0], [142.0], [160.0]], ["no", "no", None, "yes", "yes"]).n_leaves_
        2
        """
        params = {name: getattr(self, name) for name in (*DEFAULTS, *NOISES)}
        for name in NOISES:
            if params[name] is not None and not isinstance(params[name], Noise):
                raise PenumbraError(
                    f"{name} is a {type(params[name]).__name__}; give a Noise, such as Noise(sigma=...)."
                )
        chosen = {name: params[name] for name in DEFAULTS}
        if chosen["random_state"] is not None:  # one number, drawn now, that the fitted model can be saved with
            chosen["random_state"] = seed_of(chosen["random_state"])
        recipe, refused = Recipe(**chosen), refusal(params)
        if refused is not None:
            raise PenumbraError(refused)
        table = self._training_table(X, y, sample_weight, recipe)
        if recipe.cost is not None:
            check_costs(recipe.cost, len(table.labels.classes))
        self.schema_, self.recipe_, self.classes_ = (
            table.schema,
            recipe,
            table.labels.classes,
        )
        self.n_features_in_ = table.schema.n_variables
        for name in ("feature_names_in_", *CALIBRATED):
            self.__dict__.pop(name, None)
        if table.schema.named and table.schema.text_names:
            self.feature_names_in_ = np.array(table.schema.names, dtype=object)
        for use, u in (
            ("search", recipe.u_s),
            ("propagation", recipe.u_p),
            ("evaluation", recipe.u_e),
        ):
            if recipe.width is not None:
                noise = width_noise(table.schema, table.columns, float(recipe.width))
            else:
                stated = params[f"noise_{use}"] or params["noise"] or Noise()
                noise = stated.resolve(table.schema, table.columns)
            noise = noise.scaled(float(u))
            noise.check_readings(table.schema.names, table.columns.T)
            setattr(self, f"noise_{use}_", noise)
        self.tree_, self.notes_ = fit_tree(
            table,
            recipe,
            self.noise_search_,
            self.noise_propagation_,
            self.noise_evaluation_,
        )
        return self

    def _training_table(
        self, X: Any, y: Any, sample_weight: Any, recipe: Recipe, fitted: Schema | None = None
    ) -> Table:
        schema = read_schema(X, self.nominal) if fitted is None else fitted
        values = schema.encode(X, by_column=True)
        labels = read_labels(y, len(values))
        weight = read_weights(sample_weight, len(values))
        if np.isnan(values).all():
            raise PenumbraError("Every value of every column is missing; there is nothing to split on.")
        check_labels(labels, self.criterion, self.pruning, self.zone)
        if self.class_weight is not None:
            with np.errstate(over="ignore", under="ignore"):
                weight = weight * class_weights(labels, self.class_weight, weight > 0.0)
            if (weight > 0.0).any():
                refuse_extreme("class_weight times sample_weight", weight)
        kept = weight > 0.0
        if not kept.any():
            raise PenumbraError("class_weight leaves no patient any weight; give a class that occurs a weight above 0.")
        if not kept.all():
            labels = LabelSets(labels.classes, labels.code[kept], labels.member)
            values, weight = values[kept], weight[kept]
        n_bins = int(recipe.n_bins) if recipe.branching == "nary" or recipe.leaf == "naive_bayes" else 0
        return Table(schema, np.ascontiguousarray(values.T), labels, weight, n_bins)

    @property
    def n_leaves_(self) -> int:
        """Number of leaves, empty ones included."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def depth_(self) -> int:
        """Depth of the deepest leaf; a lone root has 0."""
        check_is_fitted(self)
        return self.tree_.max_depth

    @property
    def feature_importances_(self) -> Floats:
        """(M,) each variable's weighted gain over the whole tree's; all 0 when nothing was split."""
        check_is_fitted(self)
        tree = self.tree_
        split = tree.variable >= 0
        worth = np.bincount(
            tree.variable[split],
            weights=(tree.weight * np.maximum(0.0, tree.gain))[split],  # accuracy-driven growth may lose some
            minlength=len(tree.variables),
        )
        return np.asarray(worth / worth.sum() if worth.sum() > 0 else worth, dtype=np.float64)

    def encode(self, X: Any) -> Floats:
        """Return X as the fitted tree reads it, (n, M) float64; columns are matched by name."""
        check_is_fitted(self)
        values = self.schema_.encode(X)
        self.noise_evaluation_.check_readings(self.schema_.names, values)
        return values

    def _reading(self) -> Recipe:
        """Return the recipe with the evaluation and decision set now; they may change after the fit."""
        now = {name: getattr(self, name) for name in READING}
        if all(getattr(self.recipe_, name) is value for name, value in now.items()):
            return self.recipe_
        if now["cost"] is not None:
            check_costs(now["cost"], len(self.classes_))
        return Recipe(**{**vars(self.recipe_), **now})

    def predict_proba(self, X: Any) -> Floats:
        """Return class probabilities under the chosen evaluation. METHODS §3

        Parameters
        ----------
        X : DataFrame or array (n, M), each variable in its training unit, NaN = missing; columns are matched by name.

        Returns
        -------
        (n, K) Σ over leaves of share(leaf|x) · p(y|leaf, x), in the order of classes_; rows sum to 1.

        Raises
        ------
        PenumbraError
            For other columns than in training, a category not met there, or values that are no finite numbers.

        Examples
        --------
        >>> model = UncertainTreeClassifier(evaluation="soft", min_weight_leaf=1, noise=Noise(sigma=8.0))
        >>> model = model.fit([[88.0], [95.0], [142.0], [160.0]], ["no", "no", "yes", "yes"])
        >>> model.predict_proba([[118.5], [126.5]]).round(3).tolist()
        [[0.5, 0.5], [0.159, 0.841]]
        """
        check_is_fitted(self)
        return mixture(
            self.tree_,
            self.encode(X),
            self._reading().evaluation,
            self.noise_evaluation_,
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each patient (n,), the first on ties; it never abstains.

        Under `decision="cost"` it is the class with the least expected cost. METHODS §0.1

        Parameters
        ----------
        X : DataFrame or array (n, M), as `predict_proba` takes it and refuses it.

        Examples
        --------
        >>> model = variant("CART").fit([[88.0], [95.0], [142.0], [160.0]], ["no", "no", "yes", "yes"])
        >>> model.predict([[90.0], [float("nan")]]).tolist()
        ['no', 'no']
        """
        check_is_fitted(self)
        tree, values, reading = self.tree_, self.encode(X), self._reading()

        def best(probability: Floats) -> NDArray[np.int64]:
            by_cost = reading.decision == "cost"
            return cheapest(probability, reading.cost) if by_cost else most_probable(probability)

        if reading.evaluation != "hard" or tree.has_bayes:
            return np.asarray(self.classes_[best(mixture(tree, values, reading.evaluation, self.noise_evaluation_))])
        leaf = hard_leaves(tree, values)
        answer, shared = best(tree.probability)[leaf], leaf < 0
        if shared.any():
            answer[shared] = best(mixture(tree, values[shared], "hard", self.noise_evaluation_))
        return np.asarray(self.classes_[answer])

    def decide(self, X: Any) -> NDArray[Any]:
        """Return each patient's answer (n,): a class, None = abstain, or with "set" a frozenset. [W], METHODS §6

        Parameters
        ----------
        X : DataFrame or array (n, M), as `predict_proba` takes it and refuses it.

        Examples
        --------
        >>> model = variant("TWDT", max_depth=1, tau=0.9)
        >>> model = model.fit([[88.0], [95.0], [142.0], [150.0], [160.0]], ["no", "no", "yes", "no", "yes"])
        >>> model.decide([[90.0], [150.0]]).tolist()
        ['no', None]
        """
        check_is_fitted(self)
        given = self._reader().answers(self.predict_proba(X))
        answers = np.empty(len(given), dtype=object)
        answers[:] = given
        return answers

    def decided(self, X: Any) -> NDArray[np.bool_]:
        """Return True for each patient (n,) whose hard path enters no zone. [T], METHODS §7

        Parameters
        ----------
        X : DataFrame or array (n, M), as `predict_proba` takes it and refuses it.

        Examples
        --------
        >>> model = variant("Ternary-margin").fit([[88.0], [95.0], [101.0], [142.0]], ["no", "no", "yes", "yes"])
        >>> model.decided([[90.0], [99.0]]).tolist()
        [True, False]
        """
        check_is_fitted(self)
        return decided(self.tree_, self.encode(X))

    def shares(self, X: Any) -> Floats:
        """Return the share of each leaf (n, L) under the chosen evaluation; rows sum to 1. METHODS §3

        Parameters
        ----------
        X : DataFrame or array (n, M), as `predict_proba` takes it and refuses it.

        Returns
        -------
        (n, L), leaves in tree order; those for values without a child of their own have a column too.

        Examples
        --------
        >>> model = variant("SE", noise=Noise(sigma=8.0), min_weight_leaf=1)
        >>> model = model.fit([[88.0], [95.0], [142.0], [160.0]], ["no", "no", "yes", "yes"])
        >>> model.shares([[118.5]]).tolist()
        [[0.5, 0.5]]
        """
        check_is_fitted(self)
        return leaf_shares(
            self.tree_,
            self.encode(X),
            self._reading().evaluation,
            self.noise_evaluation_,
        )

    def case(self, x: Any) -> Case:
        """Return what one patient is told: path, shares, stability, nearest change, repeat advice. METHODS §9

        Parameters
        ----------
        x : one patient: a DataFrame of one row, a Series or dict by column name, or a sequence in column order.

        Returns
        -------
        Case. What its figures mean, and what they do not, stands there.

        Raises
        ------
        PenumbraError
            For more or fewer than one patient, and for what `predict_proba` refuses.

        Examples
        --------
        >>> import pandas as pd
        >>> X = pd.DataFrame({"glucose": [88.0, 95.0, 142.0, 160.0]})
        >>> model = variant("C4.5", noise=Noise(sigma={"glucose": 8.0})).fit(X, ["no", "no", "yes", "yes"])
        >>> case = model.case({"glucose": 126.5})
        >>> case.answer, round(case.stability, 3)
        ('yes', 0.841)
        """
        check_is_fitted(self)
        row = self.encode(one_row(x, self.schema_))
        if len(row) != 1:
            raise PenumbraError(f"case takes one patient, but {len(row)} rows were given.")
        return make_case(self._reader(), row[0])

    def _reader(self) -> Reader:
        reading = self._reading()
        return Reader(
            self.tree_,
            reading.evaluation,
            reading.decision,
            reading.tau,
            self.noise_evaluation_,
            reading.cost,
            reading.abstain_cost,
        )

    def leaf_answers(self) -> list[Any]:
        """Return each leaf's own answer in tree order: a class, None = abstain, or a frozenset. METHODS §9

        A naive Bayes leaf has many; this is the one of its class prior, for a patient of whom nothing more is known.
        """
        check_is_fitted(self)
        return self._reader().answers(self.tree_.probability[self.tree_.leaves])

    def training_weights(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Table, Floats]:
        """Return the training table and the weight (n, N) of its patients at each node, as propagated in the fit."""
        check_is_fitted(self)
        recipe = self.recipe_
        table = self._training_table(X, y, sample_weight, recipe, self.schema_)
        return table, training_weights(
            self.tree_,
            table,
            recipe.propagation,
            self.noise_propagation_,
            recipe.weight_floor,
        )

    def search_on(self, table: Table) -> Search:
        """Return the search that the fit used, over `table`: for gain curves and for what each variable could do."""
        check_is_fitted(self)
        return make_search(table, self.recipe_, self.noise_search_, self.noise_propagation_)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of `predict` over patients of one known class each, as scikit-learn's `score` does.

        Raises
        ------
        PenumbraError
            When a label is None or several classes; `engine.metrics.accuracy` counts the others.
        """
        labels = () if y is None else y
        open_labels = sum(is_missing(label) or isinstance(label, (tuple, list, set, frozenset)) for label in labels)
        if open_labels:
            raise PenumbraError(
                f"{open_labels} labels in y are None or sets of classes, and score needs one class a patient; "
                "engine.metrics.accuracy(y, model.decide(X)) counts the others."
            )
        return float(super().score(X, y, sample_weight))

    def with_decision(self, **changes: Any) -> UncertainTreeClassifier:
        """Return a model with the same fitted tree and another decision, τ, cost or evaluation; nothing is fitted.

        Parameters
        ----------
        changes : any of evaluation, decision, tau, cost, abstain_cost.

        Raises
        ------
        PenumbraError
            For another setting, which would need a new fit, or a choice that does not combine with the others.

        Examples
        --------
        >>> model = variant("CART").fit([[88.0], [95.0], [142.0], [160.0]], ["no", "no", "yes", "yes"])
        >>> model.with_decision(decision="set", tau=0.9).decide([[90.0]]).tolist()
        [frozenset({'no'})]
        """
        check_is_fitted(self)
        wrong = [name for name in changes if name not in READING]
        if wrong:
            raise PenumbraError(f"{listed(wrong)} cannot change without a new fit; only {listed(READING)} can.")
        other = copy.copy(self)
        for name, value in changes.items():
            setattr(other, name, value)
        other._reading()
        return other

    def calibrate_zones(self, X: Any, y: Any, target: Any, sample_weight: Any = None) -> UncertainTreeClassifier:
        """Scale every zone of the fitted tree so that the undecided rate comes nearest `target`; return the model.

        `target` is a rate, or "bayes". `tree_` is replaced; `zone_factor_`, `zone_rate_` and `zone_target_` tell what
        was done. See `engine.calibration.calibrate_zones`. METHODS §7 (+)

        Parameters
        ----------
        X, y, sample_weight : training patients, as `fit` takes them.
        target : the part of patients to be left undecided, from 0 to 1, or "bayes".

        Notes
        -----
        The rate is that of trees grown without the patients they are tried on. The returned tree may leave another part
        of its own training patients, or of new ones, undecided: in six 70/30 splits of scikit-learn's breast cancer set
        a target of 0.2 left 6 % to 30 % of the new patients undecided.

        Raises
        ------
        PenumbraError
            For middle branching, zone none or quinlan, a target that is no rate, or too few patients.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = variant("Ternary-margin").fit(X, y).calibrate_zones(X, y, target=0.1)
        >>> abs(model.zone_rate_ - 0.1) < 0.05
        True
        """
        from engine.calibration import calibrate_zones  # asked of the floor above only when called

        return calibrate_zones(self, X, y, target, sample_weight)

    def to_json(self) -> str:
        """Return the fitted model as JSON text, every number at full precision.

        `engine.model_file.file_schema` gives the form of the text.

        Raises
        ------
        PenumbraError
            When a class, category or setting is something other than text, a number or True or False.

        Examples
        --------
        >>> model = variant("CART").fit([[88.0], [95.0], [142.0], [160.0]], ["no", "no", "yes", "yes"])
        >>> again = UncertainTreeClassifier.from_json(model.to_json())
        >>> again.predict([[90.0], [150.0]]).tolist()
        ['no', 'yes']
        """
        check_is_fitted(self)
        params = {name: getattr(self, name) for name in self._get_param_names() if name not in NOISES}
        if params["nominal"] is not None:
            params["nominal"] = list(params["nominal"])
        resolved = {use: getattr(self, f"noise_{use}_") for use in ("search", "propagation", "evaluation")}
        fitted = {
            **params,
            **{name: getattr(self.recipe_, name) for name in DEFAULTS if name not in READING},
        }
        return model_file.to_text(
            model_file.settings_out(fitted),
            {name: getattr(self, name) for name in NOISES},
            resolved,
            self.schema_,
            self.tree_,
            getattr(self, "zone_factor_", None),
        )

    @classmethod
    def from_json(cls, text: str) -> UncertainTreeClassifier:
        """Return the model that `to_json` wrote; its predictions are identical.

        Columns that were called by numbers or tuples are found by the text of those names, so the same DataFrame can
        be given again. A model can be pickled too, but a pickle runs what stands in it: keep and pass on the JSON.

        Parameters
        ----------
        text : what `to_json` returned, as text or UTF-8.

        Raises
        ------
        PenumbraError
            When the text is no model file, is truncated or altered, or has another version.

        Examples
        --------
        >>> import pandas as pd
        >>> X = pd.DataFrame({0: [88.0, 95.0, 142.0, 160.0], ("visit", 1): [1.0, 2.0, 1.0, 2.0]})
        >>> model = variant("C4.5").fit(X, ["no", "no", "yes", "yes"])
        >>> again = UncertainTreeClassifier.from_json(model.to_json())
        >>> bool((again.predict_proba(X) == model.predict_proba(X)).all())
        True
        """
        parts = model_file.from_text(text)
        given, needed = {*parts["params"], *parts["noises"]}, set(inspect.signature(cls).parameters)
        model_file.require(not set(parts["params"]) & set(parts["noises"]), "its list of settings")
        if given - needed:
            raise PenumbraError(
                f"The model file holds settings this program does not know: {listed(sorted(given - needed))}. "
                "Save the model again with this program."
            )
        if needed - given:
            raise PenumbraError(
                f"The model file is damaged: it lacks the settings {listed(sorted(needed - given))}. Save it again."
            )
        model = cls(**parts["params"], **parts["noises"])
        model.recipe_ = Recipe(**{name: getattr(model, name) for name in DEFAULTS})
        model_file.check_against(parts["tree"], model.recipe_.leaf, model.recipe_.zone)
        model.schema_, model.tree_, model.notes_ = parts["schema"], parts["tree"], []
        if parts["zone_factor"] is not None:
            model.zone_factor_ = parts["zone_factor"]
        if model.cost is not None:
            check_costs(model.cost, len(model.tree_.classes))
        model.n_features_in_ = model.schema_.n_variables
        if model.schema_.named and model.schema_.text_names:
            model.feature_names_in_ = np.array(model.schema_.names, dtype=object)
        classes = list(model.tree_.classes)
        model.classes_ = np.array(classes, dtype=object if isinstance(classes[0], str) else None)
        for use, noise in parts["resolved"].items():
            setattr(model, f"noise_{use}_", noise)
        return model


def variant(name: str, **changes: Any) -> UncertainTreeClassifier:
    """Return a named variant as an unfitted classifier. METHODS §0

    Parameters
    ----------
    name : a key of VARIANTS, such as "C4.5", "SS+STP" or "Ternary-margin". changes : arguments that differ from it.

    Raises
    ------
    PenumbraError
        For a name that is no variant, or an argument that is no setting.

    Examples
    --------
    >>> variant("SS+STP", max_depth=4).get_params()["propagation"]
    'soft'
    """
    if not isinstance(name, str) or name not in VARIANTS:
        raise PenumbraError(f"There is no variant {name!r}; the variants are {', '.join(VARIANTS)}.")
    unknown = [c for c in changes if c not in inspect.signature(UncertainTreeClassifier).parameters]
    if unknown:
        raise PenumbraError(f"{listed(unknown)} is no setting; the settings are the axes and numbers of METHODS §0.")
    return UncertainTreeClassifier(**{**VARIANTS[name], **changes})
