"""Random models of ai.onnx.ml, for random_onnx.py: features, linear models,
support vector machines, trees. The oracle is ONNX Runtime.
"""
import numpy as np

ML = "ai.onnx.ml"


def floats(c, *shape):
    return [float(v) for v in c.values(shape, "float32").ravel()]


def scaler(c):
    rows, n = c.int(1, 3), c.int(1, 5)
    k = c.one(1, n)
    c.node("Scaler", [c.input((rows, n), c.one("float32", "int64"))],
           ["float32"], domain=ML, offset=floats(c, k), scale=floats(c, k))


def imputer(c):
    rows, n = c.int(1, 3), c.int(1, 5)
    if c.often(0.3):
        c.node("Imputer", [c.input((rows, n), "int64", lambda v: v % 4)],
               ["int64"], domain=ML, imputed_value_int64s=[
                   c.int(5, 9) for _ in range(c.one(1, n))],
               replaced_value_int64=2)
        return
    gone = c.one(0.0, float("nan"))
    c.node("Imputer", [c.input((rows, n), "float32", lambda v: np.where(
        c.rng.random(v.shape) < 0.4, gone, v))], ["float32"], domain=ML,
        imputed_value_floats=floats(c, c.one(1, n)), replaced_value_float=gone)


def normalizer(c):
    c.node("Normalizer", [c.input((c.int(1, 3), c.int(1, 5)), "float32",
                                  c.one(None, lambda v: np.abs(v) + 0.1))],
           ["float32"], domain=ML, norm=c.one("L1", "L2", "MAX"))


def binarizer(c):
    c.node("Binarizer", [c.input((c.int(1, 3), c.int(1, 5)))], ["float32"],
           domain=ML, threshold=float(c.one(0.0, 1.0)))


def extractor(c):
    n = c.int(1, 6)
    dtype = c.one("float32", "int64")
    c.node("ArrayFeatureExtractor", [
        c.input((c.int(1, 3), n), dtype),
        c.constant(c.rng.integers(0, n, c.int(1, 4)), np.int64)], [dtype],
        domain=ML)


def label_encoder(c):
    n = c.int(1, 5)
    keys = sorted(set(int(v) for v in c.rng.integers(-4, 5, n)))
    a = {"keys_int64s": keys, "default_int64": -7,
         "values_int64s": [c.int(-50, 50) for _ in keys]}
    c.ml_opset = 2
    c.node("LabelEncoder", [c.input(c.shape(c.int(1, 2)), "int64",
                                    lambda v: v % 7 - 3)], ["int64"],
           domain=ML, **a)


def one_hot(c):
    n = c.int(1, 5)
    c.node("OneHotEncoder", [c.input((c.int(1, 4),), "int64",
                                     lambda v: v % 6)], ["float32"],
           domain=ML, cats_int64s=list(range(n)), zeros=1)


def linear_regressor(c):
    n, targets = c.int(1, 5), c.int(1, 3)
    a = {"post_transform": c.one("NONE", "SOFTMAX", "LOGISTIC")}
    if targets == 1:
        a["post_transform"] = "NONE"
    c.node("LinearRegressor", [c.input((c.int(1, 3), n))], ["float32"],
           domain=ML, targets=targets, coefficients=floats(c, targets, n),
           intercepts=floats(c, targets), **a)


def labels(c, n):
    return [c.int(0, 3) + 7 * k for k in range(n)]


def linear_classifier(c):
    n, scores = c.int(1, 5), c.int(1, 4)
    transform = "NONE" if scores == 1 else c.one(
        "NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")
    c.node("LinearClassifier", [c.input((c.int(1, 3), n))],
           ["int64", "float32"], domain=ML, coefficients=floats(c, scores, n),
           intercepts=floats(c, scores), post_transform=transform,
           classlabels_ints=labels(c, max(scores, 2)))


def kernel(c):
    kind = c.one("LINEAR", "POLY", "RBF", "SIGMOID")
    return {"kernel_type": kind, "kernel_params": [
        0.1, 0.5, float(c.int(1, 3)) if kind == "POLY" else 1.0]}


def svm_regressor(c):
    n, vectors = c.int(1, 4), c.int(1, 5)
    c.node("SVMRegressor", [c.input((c.int(1, 3), n))], ["float32"],
           domain=ML, n_supports=vectors, coefficients=floats(c, vectors),
           support_vectors=floats(c, vectors, n), rho=floats(c, 1),
           one_class=c.int(0, 1), **kernel(c))


def svm_classifier(c):
    n, classes = c.int(1, 4), c.int(2, 4)
    each = [c.int(1, 3) for _ in range(classes)]
    vectors, pairs = sum(each), classes * (classes - 1) // 2
    a = kernel(c)
    if c.often():
        a["prob_a"] = [-float(v) for v in c.rng.uniform(0.5, 2, pairs)]
        a["prob_b"] = [float(v) for v in c.rng.uniform(-0.5, 0.5, pairs)]
    c.node("SVMClassifier", [c.input((c.int(1, 3), n))], ["int64", "float32"],
           domain=ML, coefficients=floats(c, classes - 1, vectors),
           support_vectors=floats(c, vectors, n), rho=floats(c, pairs),
           vectors_per_class=each, classlabels_ints=labels(c, classes), **a)


def forest(c, features, weights, names):
    """Attributes of some trees; `weights` says those of a leaf."""
    mode = c.one("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT")
    a = {k: [] for k in (
        "nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_values",
        "nodes_modes", "nodes_truenodeids", "nodes_falsenodeids",
        "nodes_missing_value_tracks_true", *names)}

    def leaf(tree, node, branch):
        for key, value in zip(list(a)[:8], (
                tree, node, 0, 0.0, "LEAF", 0, 0, 0)):
            a[key].append(value)
        for target, weight in weights(tree):
            for key, value in zip(names, (tree, node, target, weight)):
                a[key].append(value)
    for tree in range(c.int(1, 4)):
        branches = c.int(0, 4)
        for node in range(branches):  # a chain with a leaf on each step
            following = node + 1 if node + 1 < branches else branches
            side = branches + 1 + node
            ends = [following, side] if c.often() else [side, following]
            for key, value in zip(list(a)[:8], (
                    tree, node, c.int(0, features - 1),
                    float(c.int(-2, 2)), mode, *ends, c.int(0, 1))):
                a[key].append(value)
        for node in range(branches, 2 * branches + 1):
            leaf(tree, node, branches)
    return a


def odd_values(c, v):
    return np.where(c.rng.random(v.shape) < 0.15, np.nan, v)


def tree_regressor(c):
    features, targets = c.int(1, 4), c.int(1, 3)
    how = c.one("SUM", "AVERAGE", "MIN", "MAX") if targets == 1 else c.one(
        "SUM", "AVERAGE")
    a = forest(c, features, lambda t: [(k, float(c.rng.normal()))
                                       for k in range(targets)],
               ("target_treeids", "target_nodeids", "target_ids",
                "target_weights"))
    if c.often():
        a["base_values"] = floats(c, targets)
    c.node("TreeEnsembleRegressor",
           [c.input((c.int(1, 3), features), "float32",
                    lambda v: odd_values(c, v))], ["float32"], domain=ML,
           n_targets=targets, aggregate_function=how, **a)


def tree_classifier(c):
    features, classes = c.int(1, 4), c.int(2, 4)
    single = classes == 2
    votes = c.often()

    def weights(tree):
        if single:
            w = float(c.rng.uniform(0, 0.4) if votes else c.rng.normal())
            return [(0, w)]
        return [(k, float(c.rng.uniform(0, 1))) for k in range(classes)]
    a = forest(c, features, weights, ("class_treeids", "class_nodeids",
                                      "class_ids", "class_weights"))
    transform = ("NONE" if single and votes else c.one("NONE", "LOGISTIC")
                 if single else c.one("NONE", "SOFTMAX", "LOGISTIC"))
    c.node("TreeEnsembleClassifier",
           [c.input((c.int(1, 3), features), "float32",
                    lambda v: odd_values(c, v))], ["int64", "float32"],
           domain=ML, classlabels_int64s=labels(c, classes),
           post_transform=transform, **a)


LEARNT = [
    ("Scaler", scaler), ("Imputer", imputer), ("Normalizer", normalizer),
    ("Binarizer", binarizer), ("ArrayFeatureExtractor", extractor),
    ("LabelEncoder", label_encoder), ("OneHotEncoder", one_hot),
    ("LinearRegressor", linear_regressor),
    ("LinearClassifier", linear_classifier), ("SVMRegressor", svm_regressor),
    ("SVMClassifier", svm_classifier), ("SVMClassifier", svm_classifier),
    ("TreeEnsembleRegressor", tree_regressor),
    ("TreeEnsembleRegressor", tree_regressor),
    ("TreeEnsembleClassifier", tree_classifier),
    ("TreeEnsembleClassifier", tree_classifier)]
