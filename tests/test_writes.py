"""Arrays and lists that are written into: the right gradient or a refusal, never a wrong one."""
from __future__ import annotations

import numpy as np
import pytest

import s2sgrad
from s2sgrad.compiler.pairs import Numbering, Pairs
from s2sgrad.errors import UnsupportedError

X = np.array([0.3, -0.7, 1.1])


def local_array_updated_after_use(x):
    y = x * 2.0
    squares = (y ** 2).sum()
    y *= x
    return squares + (y * y).sum()


def local_array_updated_in_a_loop(x):
    y = x * 1.0
    total = 0.0
    for _ in range(3):
        total = total + (y ** 3).sum()
        y *= 0.5
        y += x
    return total


def slice_saved_before_an_update(x):
    u = x * 1.0
    s = (u[1:] * x[1:]).sum()
    u += x
    return s + (u * u).sum()


def transpose_saved_before_an_update(x):
    u = np.outer(x, x)
    s = (u.T @ x).sum()
    u *= 2.0
    return s + (u * u).sum()


def reshaped_before_an_update(x):
    u = x * 1.0
    s = np.sin(np.reshape(u, (1, -1))).sum()
    u *= x
    return s + (u * u).sum()


def slices_saved_in_a_loop(x):
    u = x * 1.0
    s = 0.0
    for _ in range(3):
        s += (u[1:] ** 3).sum()
        u *= x
    return s + (u * u).sum()


def diagonal_saved_before_an_update(x):
    u = np.outer(x, x)
    s = (np.diag(u) ** 2).sum()
    u += x * x
    return s + np.sum(np.broadcast_to(u, (2, 3, 3)) ** 2)


def helper_that_saves_its_argument(x):
    u = x * 1.0
    s = cubes(u, x)
    u *= x
    return s + (u * u).sum()


def cubes(a, b):
    return (a * a * b).sum()


def elements_read_before_an_update(x):
    u = x * 1.0
    a, b = u[0], u[1]
    u *= x
    return a * b + u.sum() * a


def passive_array_updated_between_uses(x):
    m = np.ones(3)
    y = (x * m).sum()
    m *= 2.0
    return y + (x * m).sum()


def sum_that_starts_as_a_number(x):
    total = 0
    for k in range(3):
        total += x ** k
    return (total * total).sum()


def helper_that_writes_into_its_own(x):
    return (x * fresh(3)).sum()


def helper_that_counts(x):
    m = np.ones(3)
    return (x * m).sum() * count(m)


def fresh(n):
    out = np.zeros(n)
    for i in range(n):
        out[i] = i
    return out


def count(m):
    found = 0
    for _ in m:
        found += 1
    return found


def set_first(m):
    m[0] = 5.0
    return 2.0


def helper(x):
    m = np.ones(3)
    y = (x * m).sum()
    q = set_first(m)
    return y + (x * m).sum() * q


def helper_for_its_effect(x):
    m = np.ones(3)
    y = (x * m).sum()
    set_first(m)
    return y + (x * m).sum()


@pytest.mark.parametrize("function", [
    local_array_updated_after_use, local_array_updated_in_a_loop, passive_array_updated_between_uses,
    slice_saved_before_an_update, transpose_saved_before_an_update, reshaped_before_an_update, slices_saved_in_a_loop,
    diagonal_saved_before_an_update, helper_that_saves_its_argument, elements_read_before_an_update,
    sum_that_starts_as_a_number, helper_that_writes_into_its_own, helper_that_counts, helper, helper_for_its_effect,
], ids=lambda function: function.__name__)
def test_right(function) -> None:
    s2sgrad.check_grad(function, X)


def perhaps_a_view(x):
    y = x * 2.0
    z = np.atleast_1d(y)
    y += 1.0
    return (z ** 2).sum()


def view_kept_in_a_changed_list(x):
    y = x * 2.0
    parts = [y[1:], y[:1]]
    parts.reverse()
    y += 1.0
    return (parts[0] ** 2).sum()


def method(x):
    m = np.ones(3)
    y = (x * m).sum()
    m.resize(3)
    return y + (x * m).sum()


def method_in_an_assignment(x):
    m = np.ones(3)
    y = (x * m).sum()
    nothing = m.sort()  # noqa: F841
    return y + (x * m).sum()


def out_argument(x):
    m = np.ones(6)
    y = (x * m[:3]).sum()
    q = np.concatenate([m[:3], m[3:]], out=m)  # noqa: F841
    return y + (x * m[:3]).sum()


def set_first_by_another(m):
    return set_first(m[:2])


def same(a, b=None):
    return a if b is None else b


def handed_back(x):
    y = x * 2.0
    z = same(y)
    z[0] = 1.0
    return (z * y).sum()


def handed_back_by_keyword(x):
    y = x * 2.0
    z = same(x, b=y[1:])
    y[0:] = 1.0
    return (z * y[1:]).sum()


def kept_by_a_default(a, kept=np.zeros(3)):  # noqa: B008
    return kept if a > 0 else np.ones(3)


def written_default(x):
    y = kept_by_a_default(1.0)
    y[:] = x
    return y.sum()


def chosen(a, b, n):
    if n == 0:
        return [a, b][0] if a[0] > 1e9 else b
    return chosen(b, a, n - 1)


def handed_back_by_recursion(x):
    y = x * 2.0
    z = chosen(y, x * 1.0, 3)
    y[0] = 1.0
    return (z * y).sum()


def helper_of_a_helper(x):
    m = np.ones(3)
    y = (x * m).sum()
    q = set_first_by_another(m)
    return y + (x * m).sum() * q


def numpy_writer(x):
    m = np.ones(3)
    y = (x * m).sum()
    np.multiply.at(m, [0, 0], 2.0)
    return y + (x * m).sum()


def through_a_call(m):
    m.reshape(-1)[0] = 5.0


def through_a_view(m):
    v = m.ravel()
    v[0] = 5.0


def through_a_ufunc(m):
    np.multiply.at(m, [0], 5.0)


def through_a_loop(m):
    for row in [m] if m[0] > 0.0 else [m[1:]]:
        row[0] = 5.0


def through_numpy(m):
    np.place(m, m > 0.0, [3.0, 2.0])


def through_another_name(m):
    w = v = m
    set_first((v, w)[1])


def through_a_match(m):
    match (m, 1):
        case (row, _):
            row[0] = 5.0


def through_lists_of_lists(m):
    rows = [m]
    more = sum([(rows + rows).copy()], [])
    more += rows
    more[0][0] = 5.0


def passive_array_written_in_a_row(x):
    m = np.ones(3)
    y = (x * m).sum()
    through_a_call(m)
    z = (x * m).sum()
    m *= 2.0
    through_a_view(m)
    return y * z * (x * m).sum()


def reads(m):
    n = len(m)
    n += 1
    v = m.copy()
    v[0] = n
    w = np.zeros_like(m)
    w += m
    total = m.sum()
    total += n
    return total


@pytest.mark.parametrize("writer", [
    through_a_loop, through_numpy, through_another_name, through_a_match, through_lists_of_lists,
], ids=lambda function: function.__name__)
def test_writers_are_read(writer) -> None:
    def value(x):
        m = np.ones(3)
        y = (x * m).sum()
        q = writer(m)  # noqa: F841
        return y + (x * m).sum()

    def effect(x):
        m = np.ones(3)
        y = (x * m).sum()
        writer(m)
        return y + (x * m).sum()

    for function in (value, effect):
        with pytest.raises(UnsupportedError):
            s2sgrad.grad(function)(X)


def reader_is_called(x):
    m = np.ones(3)
    reads(m)
    return (x * m).sum() * reads(m)


def through_a_loop_over_one(m):
    for row in (m,):
        row[0] = 5.0


def written_in_a_loop(x):
    m = np.ones(3)
    y = (x * m).sum()
    through_a_loop_over_one(m)
    return y + (x * m).sum()


def written_through_a_ufunc(x):
    m = np.ones(3)
    y = (x * m).sum()
    through_a_ufunc(m)
    return y + (x * m).sum()


@pytest.mark.parametrize("function", [
    reader_is_called, written_in_a_loop, passive_array_written_in_a_row, handed_back, handed_back_by_keyword,
    numpy_writer, written_through_a_ufunc, helper_of_a_helper])
def test_readers_are_read(function) -> None:
    s2sgrad.check_grad(function, X)


def list_taken_out_of_a_pair(x):
    def add(items, v):
        pair = items, 1
        first, _ = pair
        first.append(v)

    items = []
    add(items, x[0])
    return sum(items)


def list_taken_out_of_a_slice(x):
    def add(items, v):
        pair = 1, items
        first, = pair[1:]
        first.append(v)

    items = []
    add(items, x[0])
    return sum(items)


@pytest.mark.parametrize("function", [
    perhaps_a_view, view_kept_in_a_changed_list, method, list_taken_out_of_a_pair, list_taken_out_of_a_slice,
    method_in_an_assignment, out_argument, written_default, handed_back_by_recursion,
], ids=lambda function: function.__name__)
def test_refused(function) -> None:
    before = X.copy()
    with pytest.raises(UnsupportedError) as refusal:
        s2sgrad.grad(function)(X)
    np.testing.assert_array_equal(X, before)
    assert refusal.value.remedy
    assert refusal.value.location.filename == __file__
    assert "^" in str(refusal.value)


# ---- writes into arguments

def updated(u, w):
    u *= w
    u[0] += w[1]
    return u


def test_an_array_is_added_to_a_list_and_does_not_make_it_longer() -> None:
    def added(x):
        parts = [1.0, 2.0, x[0]]
        parts += x
        return sum(v ** 3 for v in parts)

    assert s2sgrad.value_and_grad(added)(X)[0] == added(X)
    s2sgrad.check_grads(added, (X,))


def test_a_dict_of_the_callers_under_any_keys_is_emptied() -> None:
    def replaced(held, x, keys):
        for key in keys:
            held[key] = x * held.get(key, 1.0)
        total = sum(v ** 2 for v in held.values())
        held.clear()
        held["b"] = x
        return total * held["b"]

    one, other = {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0}
    value = s2sgrad.value_and_grad(replaced, argnums=(0, 1))(one, 0.5, ["a", "c"])[0]
    assert value == replaced(other, 0.5, ["a", "c"])
    assert one == other == {"b": 0.5}
    s2sgrad.check_grad(replaced, {"a": 1.0, "b": 2.0}, 0.5, ["a", "c"], argnums=(0, 1))


def test_the_value_is_the_very_argument() -> None:
    u, w = X.copy(), X + 2.0
    value, pullback = s2sgrad.vjp(updated, u, w)
    assert value is u
    np.testing.assert_array_equal(u, updated(X.copy(), w))
    first = pullback(np.ones(3))
    u[:] = w[:] = 7.0
    for one, other in zip(pullback(np.ones(3)), first):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(u, np.full(3, 7.0))


def test_a_view_of_an_argument_is_one_of_it() -> None:
    def f(u, w):
        u *= w
        return [u[1:], w]

    u, w = X.copy(), X + 2.0
    value, _ = s2sgrad.vjp(f, u, w)
    assert value[0].base is u and not np.shares_memory(value[1], w)


def test_cotangents_are_left_alone() -> None:
    seed = np.array([1.0, 2.0, 3.0])
    _, pullback = s2sgrad.vjp(updated, X.copy(), X + 2.0)
    gradients = pullback(seed)
    np.testing.assert_array_equal(seed, [1.0, 2.0, 3.0])
    assert not any(np.shares_memory(gradient, seed) for gradient in gradients)


def test_reports_and_judges_leave_arguments_alone() -> None:
    u = X.copy()
    s2sgrad.check_grad(updated, u, X + 2.0)
    s2sgrad.source(updated, u, X + 2.0)
    s2sgrad.differentiable(updated).saved(u, X + 2.0)
    np.testing.assert_array_equal(u, X)


class Grid:
    __slots__ = ("values",)

    def __init__(self, values):
        self.values = values


GLOBAL = np.arange(4.0)


def with_a_grid(u, grid):
    u *= 2.0
    return (u * grid.values).sum()


def with_a_global(u):
    u *= 2.0
    return (u * GLOBAL[:3]).sum()


def with_a_list(u, parts):
    u *= 2.0
    return (u * parts[0]).sum()


def with_a_dict(u, parts):
    u *= 2.0
    return (u * parts["a"][0][1]).sum()


def reading_a_global(u):
    return (u * GLOBAL[:3]).sum()


def reading_by_a_helper(u):
    u *= 2.0
    return reading_a_global(u)


@pytest.mark.parametrize("function, args", [
    (updated, lambda u: (u, u)), (updated, lambda u: (u, u[::-1])), (updated, lambda u: (u[1:], u[:-1])),
    (with_a_grid, lambda u: (u, Grid(u[:]))), (with_a_global, lambda u: (GLOBAL[1:],)),
    (with_a_list, lambda u: (u, [u])), (with_a_dict, lambda u: (u, {"a": ([1.0, u],)})),
    (reading_by_a_helper, lambda u: (GLOBAL[1:],)),
], ids=["the same", "reversed", "overlapping", "object", "global", "list", "container", "callee"])
def test_overlapping_inputs_are_refused_at_the_call(function, args) -> None:
    u, before = X.copy(), GLOBAL.copy()
    with pytest.raises(UnsupportedError, match=r"share memory and line \d+ writes into u"):
        s2sgrad.vjp(function, *args(u))
    np.testing.assert_array_equal(u, X)
    np.testing.assert_array_equal(GLOBAL, before)


def test_arrays_in_an_array_of_objects() -> None:
    def kept(u, tags):
        u *= 2.0
        return (u ** 2).sum() * len(tags)

    tags = np.array([None, "text"], dtype=object)
    np.testing.assert_allclose(s2sgrad.grad(kept)(X.copy(), tags), 16.0 * X)
    tags[0] = u = X.copy()
    with pytest.raises(UnsupportedError, match=r"share memory and line \d+ writes into u"):
        s2sgrad.grad(kept)(u, tags)


def test_inputs_that_interleave_do_not_overlap() -> None:
    u = np.arange(1.0, 7.0)
    value, pullback = s2sgrad.vjp(updated, u[::2], u[1::2])
    np.testing.assert_array_equal(u, [6.0, 2.0, 12.0, 4.0, 30.0, 6.0])
    np.testing.assert_array_equal(pullback(np.ones(3))[0], [2.0, 4.0, 6.0])
    assert value.base is u


def test_elements_that_overlap_are_refused() -> None:
    u = np.lib.stride_tricks.as_strided(np.arange(6.0), (3, 3), (8, 8))
    with pytest.raises(UnsupportedError, match="elements of u overlap one another"):
        s2sgrad.vjp(updated, u, np.ones((3, 3)))
    s2sgrad.vjp(updated, np.ones((4, 6))[::2, ::3].T, np.ones((2, 2)))


@pytest.mark.parametrize("function", [np.nansum, np.nanprod, np.nanmean, np.nanvar, np.nanstd, np.nanmax, np.nanmin])
def test_functions_that_pass_over_nan_write_out(function) -> None:
    def total(x):
        function(x, axis=0, out=x[1])
        return np.sum(x ** 3)

    def running(x):
        u = np.empty((2, 3))
        np.nancumsum(x, 0, out=u)
        np.nancumprod(u, axis=1, out=u)
        return np.sum(u ** 2) + np.trace(x[:, :2], out=np.zeros(())) ** 2

    x = np.array([[0.3, 1.2, 0.7], [0.9, 0.4, 0.5]])
    s2sgrad.check_grad(total, x)
    s2sgrad.check_grad(running, x)


def test_pairs_are_those_of_sets() -> None:
    """Names that may share memory, as bits of numbers: what sets of pairs would give."""
    rng = np.random.default_rng(0)

    def some(most: int) -> set[str]:
        return set(rng.choice(list("abcdef"), rng.integers(most), replace=False).tolist())

    def together(one: str, other: str) -> bool:
        return ord(one) % 3 == ord(other) % 3

    found, expected = Pairs(Numbering(), {}), set()
    for turn in range(300):
        first, second = some(4), some(4)
        reach = {label: some(4) for label in sorted(first)}
        if turn % 3 == 0:
            found = found | found.crossed(first, second)
            expected |= {frozenset((one, other)) for one in first for other in second if one != other}
        elif turn % 3 == 1:
            found = found.rebound(first, reach)
            expected = {pair for pair in expected if first.isdisjoint(pair)}
            expected |= {frozenset((label, other)) for label, others in reach.items() for other in others - first}
            expected |= {frozenset((one, other)) for one in first for other in first
                         if one != other and reach[one] & reach[other]}
        else:
            found = found.without(together, first)
            expected -= {pair for pair in expected if first & pair and together(*pair)}
        for label in "abcdef":
            assert found.of(label) == {label}.union(*(pair for pair in expected if label in pair))
