"""Lists that are empty when a loop begins, and that its turns read before they put something in."""
from __future__ import annotations

import functools
import itertools

import numpy as np

from corpus.registry import normal, program


@program(lambda: (normal(501, 5, 3),))
def mapped(A):
    Q = []
    for v in A.T:
        w = v - sum(map(lambda q: q * v, Q))
        Q.append(w)
    return sum(np.sum(q ** 2) for q in Q)


@program(lambda: (normal(502, 5, 3),))
def zipped(A):
    Q, P = [], []
    for v in A.T:
        w = v - sum(q * p * v for q, p in zip(Q, P))
        Q.append(w)
        P.append(v)
    return sum(np.sum(q ** 2) for q in Q)


@program(lambda: (normal(503, 5, 3),))
def counted(A):
    Q = []
    for v in A.T:
        w = v - sum(q * k * v for k, q in enumerate(Q))
        Q.append(w)
    return sum(np.sum(q ** 2) for q in Q)


@program(lambda: (normal(504, 5, 3),))
def folded(A):
    Q = []
    for v in A.T:
        w = functools.reduce(lambda a, q: a - q * v, Q, v)
        Q.append(w)
    return sum(np.sum(q ** 2) for q in Q)


@program(lambda: (normal(505, 5, 3),))
def backwards(A):
    Q = []
    for v in A.T:
        w = v
        for q in reversed(Q):
            w = w - q * v * 0.1
        Q.append(w)
    return np.sum(np.stack(Q) ** 2)


@program(lambda: (normal(506, 5, 3),))
def last_or_nothing(A):
    Q = []
    for v in A.T:
        if Q:
            w = v - Q[-1] * v
        else:
            w = v
        Q.append(w)
    return np.sum(np.stack(Q) ** 2)


@program(lambda: (normal(507, 5, 3),))
def as_an_array_or_nothing(A):
    Q = []
    for v in A.T:
        w = v - (np.array(Q) * v).sum(axis=0) if Q else v
        Q.append(w)
    return np.sum(np.stack(Q) ** 2)


@program(lambda: (normal(508, 5, 3),))
def chosen(A):
    Q = []
    for v in A.T:
        prev = [q * v for q in Q if q.sum() > -1e9]
        w = v - sum(prev)
        Q.append(w)
    return np.sum(np.stack(Q) ** 2)


@program(lambda: (normal(509, 5, 3),))
def tuple_that_grows(A):
    Q = ()
    for v in A.T:
        w = v + sum(q * v for q in Q)
        Q = Q + (w,)
    return sum(q.sum() for q in Q)


def helper(Q, v):
    return sum(q * v for q in Q)


@program(lambda: (normal(510, 5, 3),))
def handed_to_a_helper(A):
    Q = []
    for v in A.T:
        w = v - helper(Q, v)
        Q.append(w)
    return sum(np.sum(q ** 2) for q in Q)


@program(lambda: (normal(511, 5, 3),))
def orthogonalised(A):
    Q = []
    k = 0
    while k < 3:
        w = A[:, k] - sum((q @ A[:, k]) * q for q in Q)
        Q.append(w / np.sqrt(w @ w))
        k += 1
    return sum(np.sum(q[:2] ** 2) for q in Q)


@program(lambda: (normal(512, 5, 3),))
def read_by_a_closure(A):
    Q = []

    def project(v):
        return sum((q @ v) * q for q in Q)

    for v in A.T:
        Q.append(v - project(v))
    return sum(np.sum(q[:2] ** 2) for q in Q)


@program(lambda: (normal(513, 5, 3),))
def largest_or_default(A):
    Q = []
    for v in A.T:
        m = max((q @ v for q in Q), default=0.0)
        Q.append(v * (1 + m))
    return sum(np.sum(q[:2] ** 2) for q in Q)


@program(lambda: (normal(514, 5, 3),))
def pairs_of_what_is_there(A):
    Q = []
    for v in A.T:
        prod = 1.0
        for a, b in itertools.combinations(Q, 2):
            prod = prod * (a @ b)
        Q.append(v * prod)
    return sum(np.sum(q[:2] ** 2) for q in Q)


@program(lambda: (normal(515, 5, 3),))
def made_anew_with_one_more(A):
    S = []
    for v in A.T:
        S = [s * v for s in S] + [v]
    return sum(np.sum(q ** 2) for q in S)


@program(lambda: (normal(516, 5, 3),))
def made_anew_and_appended(A):
    S = []
    for v in A.T:
        S = [s + v for s in S]
        S.append(v * v)
    return sum(np.sum(q ** 2) for q in S)


@program(lambda: (normal(517, 5, 3),))
def rows_of_rows(A):
    layers = []
    for v in A.T:
        layers.append([u * v for layer in layers for u in layer] + [v])
    return sum(np.sum(u ** 2) for layer in layers for u in layer)


@program(lambda: (normal(531, 5, 3),))
def gram_schmidt(A):
    Q = []
    for v in A.T:
        w = v - sum((q @ v) * q for q in Q)
        Q.append(w / np.sqrt(w @ w))
    return np.sum(np.array(Q) * A.T)


@program(lambda: (normal(532, 5, 3),))
def orthogonalised_by_lists(A):
    Q = []
    for v in A.T:
        w = v - sum([(q @ v) * q for q in Q])
        Q.append(w / np.linalg.norm(w))
    return sum(np.sum(q[:2] ** 2) for q in Q)


@program(lambda: (normal(533, 5, 3),))
def first_that_fits_or_the_new_one(A):
    Q = []
    for v in A.T:
        found = next((q * v for q in Q if q.sum() > -1e9), v)
        Q.append(found + v)
    return sum(np.sum(q ** 2) for q in Q)


@program(lambda: (normal(534, 5, 3),))
def smallest_of_few(A):
    Q = []
    for v in A.T:
        m = min([q @ v for q in Q], default=0.5)
        n = sorted(q @ v for q in Q)
        Q.append(v * (1 + m) + sum(n[:1]))
    return sum(np.sum(q[:2] ** 2) for q in Q)


@program(lambda: (normal(535, 3, 3),))
def tuple_augmented(A):
    seen = ()
    out = 0.0
    for i in range(3):
        projection = np.zeros(3)
        for s in seen:
            projection += s * (s @ A[i]) / (s @ s)
        row = A[i] - projection
        seen += (row,)
        out += np.log(row @ row)
    return out


@program(lambda: (normal(536, 3, 3),))
def tuple_augmented_beside_its_other_name(A):
    p = (A[0],)
    q = p
    p += (A[1] * A[2],)
    return p[1].sum() * q[0].sum() + len(q)
