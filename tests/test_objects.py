"""Objects under two names, arrays in two places, methods called unnamed: the true gradient, or a refusal."""
from __future__ import annotations

import collections
import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sgrad
from s2sgrad.errors import S2SGradError


class Body:
    def __init__(self, x, v):
        self.x = x
        self.v = v
        self.partner = None

    def move(self, t):
        self.x = self.x + t * self.v
        return self

    def move_in_place(self, t):
        self.x += t * self.v

    def put(self, x):
        self.x = x

    def moved_twice(self, t):
        return self.move(t).move(t)

    def count(self):
        return self.inner_count()

    def inner_count(self):
        self.x = self.x * 2.0
        return 2

    def __len__(self):
        return self.count()

    def __eq__(self, other):
        return self.inner_count() == 2

    __hash__ = None

    def __str__(self):
        return "body" * self.count()

    @property
    def energy(self):
        self.v = self.v * 1.5
        return np.sum(self.x * self.v)


def body() -> Body:
    return Body(np.array([1.0, 2.0]), np.array([0.3, 0.4]))


def array_read_after_a_method_wrote_into_it(b, t):
    x = b.x
    b.move_in_place(t)
    return np.sum(x) * t


def array_read_after_a_method_replaced_it(b, t):
    x = b.x
    b.move(t)
    return np.sum(x * b.x)


def one_array_in_two_attributes(b, t):
    c = Body(b.x, b.x)
    c.move_in_place(t)
    return np.sum(c.v) * t


def one_array_put_into_two_attributes(b, t):
    c = Body(b.x * 1.0, b.v * 1.0)
    c.put(c.v)
    c.move_in_place(t)
    return np.sum(c.v) * t


def made_of_one_array(x):
    y = x * 2.0
    return Body(y, y)


def made_elsewhere_of_one_array(b, t):
    c = made_of_one_array(b.x)
    c.x += t
    return np.sum(c.v * c.x)


def two_names(b, t):
    c = b
    b.move(t)
    return np.sum(c.x) * t


def written_under_another_name(b, t):
    c = b
    c.x = c.x * t
    return np.sum(b.x)


def object_in_a_list(b, t):
    bodies = [b]
    bodies[0].move(t)
    return np.sum(b.x)


def objects_of_a_list_that_move(b, t):
    for one in [b, body()]:
        one.move(t)
    return np.sum(b.x)


def one_object_twice_in_a_list(b, t):
    c = Body(b.x * t, b.v)
    bodies = [c, c]
    bodies[0].x = bodies[0].x * 3.0
    return np.sum(bodies[1].x)


def object_repeated_in_a_list(b, t):
    bodies = [Body(b.x * t, b.v)] * 2
    bodies[0].x = bodies[0].x * 3.0
    return np.sum(bodies[1].x)


def object_appended_twice(b, t):
    c = Body(b.x * t, b.v)
    bodies = []
    for _ in range(2):
        bodies.append(c)
    bodies[0].x = bodies[0].x * 3.0
    return np.sum(bodies[1].x)


def one_object_in_two_attributes(b, t):
    c = Body(b.x * t, b.v)
    both = Body(c, 1.0)
    both.partner = c
    both.x.x = b.x * 5.0
    return np.sum(both.partner.x)


def other_objects_of_a_list(b, t):
    bodies = [Body(b.x * t, t), Body(b.v * t, t)]
    bodies[0].x = bodies[0].x * 3.0
    return np.sum(bodies[0].x * bodies[1].x)


def one_of_two(b, t):
    c = Body(b.x * t, b.v)
    best = b if t > 0.0 else c
    best.move(t)
    return np.sum(b.x) + np.sum(c.x)


def link(one, other, t):
    one.partner = other
    other.x = other.x * t


def object_kept_by_another(b, t):
    c = Body(b.x * 1.0, b.v)
    link(b, c, t)
    return np.sum(b.partner.x)


def array_kept_and_written(b, x):
    b.x = x
    x[0] = 5.0


def kept_by_a_call(b, t):
    x = b.x * t
    array_kept_and_written(b, x)
    return np.sum(b.x)


def view_kept_and_written(b, t):
    u = np.arange(4.0) * t
    x = u[1:]
    b.put(x)
    u[2] = t * 5.0
    return np.sum(b.x)


def written_before_an_exception(b, t):
    try:
        b.move(t)
        if t > 0.5:
            raise ValueError
        b.move(t)
    except ValueError:
        b.v = b.v * 2.0
    return np.sum(b.x * b.v)


def closure_that_writes(b, t):
    def inner(y):
        b.x = y * b.x
        return y
    return inner(t) * np.sum(b.x)


def lambda_that_writes(b, t):
    move = lambda: b.move(t)  # noqa: E731
    move()
    return np.sum(b.x)


def key_that_writes(b, t):
    k = max(range(3), key=lambda i: b.count())
    return np.sum(b.x) * t * k


def order_that_writes(b, t):
    k = sorted(range(3), key=lambda i: b.count())
    return np.sum(b.x) * t * k[1]


def comprehension_that_writes(b, t):
    counts = [b.count() for _ in range(2)]
    return np.sum(b.x) * t * len(counts)


def test_that_writes(b, t):
    if b.count() == 2:
        t = t * 3.0
    return np.sum(b.x) * t


test_that_writes.__test__ = False


def loop_over_a_count(b, t):
    for _ in range(b.count()):
        t = t * 1.5
    return np.sum(b.x) * t


def one_arm_that_writes(b, t):
    y = b.count() if t > 0.0 else 3
    return np.sum(b.x) * y * t


def part_of_a_condition(b, t):
    y = t > 0.0 and b.count()
    return np.sum(b.x) * t * bool(y)


def assertion_that_writes(b, t):
    assert b.count()
    return np.sum(b.x) * t


def text_that_writes(b, t):
    text = f"{b.count()}"
    return np.sum(b.x) * t * len(text)


def text_of_an_object(b, t):
    text = f"{b}"
    return np.sum(b.x) * t * len(text)


def truth_of_an_object(b, t):
    if b:
        t = 2.0 * t
    return np.sum(b.x) * t


def comparison_of_objects(b, t):
    same = b == 3
    return np.sum(b.x) * t * same


def length_of_an_object(b, t):
    return np.sum(b.x) * t + 0.0 * len(b) + np.sum(b.x)


def property_that_writes(b, t):
    return b.energy * t + np.sum(b.v)


def property_after_what_it_changes(b, t):
    return np.sum(b.v) * b.energy * t


def read_before_the_call(b, t):
    return np.sum(b.x) + np.sum(b.move(t).x)


def updated_by_its_own_method(b, t):
    b.x += b.move(t).v
    return np.sum(b.x)


def results_that_are_the_object(b, t):
    return np.sum(b.moved_twice(t).x) + np.sum(b.x)


def arrays_kept_while_they_change(b, t):
    kept = []
    for _ in range(3):
        b.x *= t
        kept.append(b.x)
    return sum(np.sum(x) for x in kept)


def arrays_kept_while_others_come(b, t):
    kept = []
    for _ in range(3):
        b.x = b.x * t
        kept.append(b.x)
    return sum(np.sum(x) for x in kept)


RIGHT = [
    array_read_after_a_method_replaced_it, lambda_that_writes, test_that_writes, loop_over_a_count,
    arrays_kept_while_others_come, property_that_writes, other_objects_of_a_list,
]
RISKY = [value for name, value in list(globals().items()) if callable(value) and getattr(
    value, "__code__", None) is not None and value.__code__.co_varnames[:2] == ("b", "t")]


@pytest.mark.parametrize("function", RISKY, ids=lambda function: function.__name__)
def test_right_or_refused(function: Callable[..., Any]) -> None:
    try:
        s2sgrad.check_grad(function, body(), 0.7)
    except S2SGradError:
        assert function not in RIGHT


def test_an_object_changes_as_without_a_derivative() -> None:
    plain, other = body(), body()
    plain.move(0.5).move_in_place(0.25)

    def moved(b, t):
        b.move(t)
        b.move_in_place(0.5 * t)
        return np.sum(b.x)

    gradient = s2sgrad.grad(moved)(other, 0.5)
    np.testing.assert_array_equal(other.x, plain.x)
    assert type(gradient) is Body
    assert gradient.partner is None
    np.testing.assert_array_equal(gradient.x, np.ones(2))
    np.testing.assert_array_equal(gradient.v, np.full(2, 0.75))


def test_a_bound_object_keeps_its_state() -> None:
    b = Body(2.0, 3.0)
    assert s2sgrad.grad(Body.put)  # what can't be differentiated is told at the call

    def position(self, t):
        self.x = self.x + t * self.v
        return self.x

    Body.position = position
    try:
        assert s2sgrad.value_and_grad(b.position)(0.5) == (3.5, 3.0)
        assert s2sgrad.value_and_grad(b.position)(0.5) == (5.0, 3.0)
        assert b.x == 5.0
    finally:
        del Body.position


class Window:
    """Empty at first; another length has code of its own."""

    def __init__(self, length):
        self.values = collections.deque(maxlen=length)
        self.w = 0.7

    def push(self, x):
        self.values.append(self.w * x)
        return sum(self.values) * self.values[0]


def test_a_deque_of_an_object_is_what_it_is_without_a_derivative() -> None:
    def pushed(window, x):
        return window.push(x) + window.push(x * x)

    for length in (1, 2, 3, None):
        window, plain = Window(length), Window(length)
        deque = window.values
        for x in (0.5, 0.7, 2.0):
            before = copy.deepcopy(plain)
            value, gradient = s2sgrad.value_and_grad(pushed, argnums=(0, 1))(window, x)
            assert value == pushed(plain, x)
            assert window.values is deque
            assert deque == plain.values
            assert deque.maxlen == length
            moved = [pushed(copy.deepcopy(before), x + step) for step in (1e-6, -1e-6)]
            np.testing.assert_allclose(gradient[1], (moved[0] - moved[1]) / 2e-6, rtol=1e-8)
            if before.values:
                assert type(gradient[0].values) is collections.deque
                assert (len(gradient[0].values), gradient[0].values.maxlen) == (len(before.values), length)


RECENT = collections.deque([1.0, 2.0], maxlen=3)


def test_a_deque_outside_is_read_as_it_is_now() -> None:
    gradient = s2sgrad.grad(lambda x: x * RECENT[0] + x * x * sum(RECENT))
    for v in (7.0, 9.0):
        assert gradient(0.5) == RECENT[0] + sum(RECENT)
        RECENT.append(v)
    assert gradient(0.5) == 2.0 + 18.0


def test_arrays_in_a_deque_that_a_loop_writes_into() -> None:
    def doubled(x):
        recent = collections.deque(maxlen=2)
        for i in range(3):
            recent.append(x * (i + 1))
            for row in recent:
                row *= 2.0
        return recent[0] @ recent[1]

    s2sgrad.check_grad(doubled, np.array([0.5, 1.5]))


def test_one_deque_in_two_places_is_refused() -> None:
    def changed(first, second, x):
        first.append(x)
        return second[-1] * second[0]

    values = collections.deque([1.0, 2.0], 2)
    with pytest.raises(S2SGradError, match="share memory"):
        s2sgrad.grad(changed, argnums=2)(values, values, 0.5)
    assert values == collections.deque([1.0, 2.0])


def test_classes_that_change_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Scale:
        factor = 2.0

        def __init__(self, x):
            self.x = x

        def scaled(self, t):
            return self.x * t * self.factor

    gradient = s2sgrad.grad(Scale.scaled)
    assert gradient(Scale(1.0), 3.0).x == 6.0
    monkeypatch.setattr(Scale, "factor", 4.0)
    assert gradient(Scale(1.0), 3.0).x == 12.0

    def loss(scale, t):
        return scale.scaled(t)

    gradient = s2sgrad.grad(loss)
    assert gradient(Scale(1.0), 3.0).x == 12.0
    monkeypatch.setattr(Scale, "scaled", lambda self, t: self.x * t)
    assert gradient(Scale(1.0), 3.0).x == 3.0


def test_pullbacks_do_not_see_what_becomes_of_an_object() -> None:
    def moved(b, t):
        b.move(t)
        return np.sum(b.x * b.v) + np.sum(b.x ** 2)

    b = body()
    _, pullback = s2sgrad.vjp(moved, b, 0.5)
    first = pullback(1.0)
    b.x[:] = 9.0
    b.v = None
    second = pullback(1.0)
    np.testing.assert_array_equal(first[0].x, second[0].x)
    np.testing.assert_array_equal(first[0].v, second[0].v)


# ---- arrays in objects that are also known otherwise: written into as without a derivative, or refused

class Holder:
    def __init__(self, content):
        self.content = content


def held_by(content):
    return Holder(content)


def argument_in_a_box(x):
    box = Holder(x)
    box.content[1:] *= x[0]
    return np.sum(box.content ** 2)


def argument_in_a_box_of_a_helper(x):
    box = held_by(x)
    box.content[0] = 3.0 * x[1]
    return np.sum(box.content ** 3)


def copy_in_a_box_of_a_helper(x):
    box = held_by(x.copy())
    box.content[0] = 3.0 * x[1]
    return np.sum(box.content ** 3)


def array_with_another_name(x):
    y = x.copy()
    box = Holder(y)
    box.content[1:] *= x[0]
    return np.sum(y ** 2)


def part_of_an_array(x):
    y = x.copy()
    box = Holder(y[1:])
    box.content *= x[0]
    return np.sum(box.content ** 2) + np.sum(y ** 2)


def one_array_in_two_boxes(x):
    first = Holder(x.copy())
    second = Holder(first.content)
    second.content[0] = 7.0 * x[1]
    return np.sum(first.content ** 2)


def argument_in_a_later_turn(x):
    box = Holder(x.copy())
    for _ in range(3):
        box.content[0] = 2.0 * x[1]
        box = Holder(x)
    return np.sum(box.content ** 2)


def box_in_a_box(x):
    inner = Holder(x)
    outer = Holder(inner)
    outer.content.content[0] = 2.0 * x[1]
    return np.sum(inner.content ** 2)


@pytest.mark.parametrize("function", [
    argument_in_a_box, argument_in_a_box_of_a_helper, copy_in_a_box_of_a_helper, array_with_another_name,
    part_of_an_array, one_array_in_two_boxes, argument_in_a_later_turn, box_in_a_box,
], ids=lambda function: function.__name__)
def test_arrays_in_boxes(function: Callable[..., Any]) -> None:
    x, plain = np.arange(1.0, 5.0), np.arange(1.0, 5.0)
    try:
        value, _ = s2sgrad.value_and_grad(function)(x)
        s2sgrad.check_grad(function, np.arange(1.0, 5.0))
    except S2SGradError:
        assert function is not copy_in_a_box_of_a_helper
        return
    assert value == function(plain)
    np.testing.assert_array_equal(x, plain)


def test_cotangents_of_a_list_of_containers_have_their_form() -> None:
    """A list of any number of dicts, tuples in lists, named tuples or dataclasses as a result."""
    @dataclasses.dataclass
    class Pair:
        first: float
        second: np.ndarray

    point = collections.namedtuple("point", "x y")
    v = np.array([1.0, 2.0, 3.0])
    for function in (lambda v: [{"a": x * x, "b": [x, (x * 2, x**3)]} for x in v],
                     lambda v: [point(x, x * x) for x in v],
                     lambda v: [Pair(x, v * x) for x in v]):
        s2sgrad.check_grad(function, v)


class Drop:
    def __init__(self, x, v):
        self.x = x
        self.v = v


def drops(xs):
    return [Drop(x, 0.5 * x) for x in xs]


class Flock:
    rate = 0.3

    def __init__(self, xs):
        self.members = drops(xs)
        self.history = []

    @property
    def size(self):
        return len(self.members)

    def mean(self):
        return sum(p.x for p in self.members) / self.size

    def step(self):
        for p in self.members:
            p.x = p.x + self.rate * (self.mean() - p.x)


class Led(Flock):
    def __init__(self, xs, bias=0.1):
        super().__init__(xs)
        self.bias = bias
        self.leader = None

    def first_above(self, level):
        for p in self.members:
            if p.x > level:
                return p
        return None

    def step(self):
        super().step()
        found = self.first_above(0.2)
        if found is not None:
            self.leader = found
        for p in self.members:
            if self.leader is None or p is self.leader:
                continue
            p.x = p.x + self.bias * self.leader.x**2
        self.history.append(self.mean())


def leader_in_an_attribute(xs):
    flock = Led(xs)
    for _ in range(2):
        flock.step()
    return sum(flock.history) + flock.leader.x * flock.mean()


@dataclasses.dataclass
class Team:
    players: list
    captain: Drop = None

    def train(self, k):
        self.captain = max(self.players, key=lambda p: p.v)
        for p in self.players:
            p.v = p.v + k * self.captain.x


def match(a, b):
    won = a.captain.v - b.captain.v
    a.captain.v -= 0.1 * won
    b.captain.v += 0.1 * won
    return np.tanh(won)


def captains_of_two_teams(xs, ys):
    one, two = Team(drops(xs)), Team(players=drops(ys))
    total = 0.0
    for _ in range(2):
        one.train(0.1)
        two.train(0.2)
        total += match(one, two)
    return total + one.captain.v * two.captain.v


class Relay:
    def __init__(self, xs):
        self.members = drops(xs)
        self.leader = self.members[0]
        self.total = 0.5
        self.turns = 0
        self.marks = [0.1, 0.2]
        self.log = []

    def add(self, p):
        self.total = self.total * 2.0 + p.x
        self.turns += 1
        p.x = p.x * 1.1 + self.leader.x * 0.1
        return self.total * 0.3

    def hand(self, p):
        self.leader = p
        self.log = [p.x]
        return p.x

    def both(self, v, p):
        return self.add(p) + v

    def weighted(self, v, w):
        return v + 2.0 * w

    def end(self):
        return self.total * len(self.log) + self.leader.x * self.turns + self.marks[0] + 2.0 * self.marks[1]


def reads_a_total_before_a_call(xs):
    relay = Relay(xs)
    relay.total += relay.add(relay.leader)
    relay.total = relay.both(relay.total, relay.leader)
    relay.total = relay.weighted(relay.total, relay.add(relay.members[1]))
    return relay.end()


def stores_behind_a_call(xs):
    relay = Relay(xs)
    relay.marks[relay.turns % 2] = relay.add(relay.leader) * relay.turns
    relay.marks[relay.turns % 2] += relay.add(relay.members[1])
    return relay.end()


def hands_on_while_it_writes(xs):
    relay = Relay(xs)
    relay.leader.x += relay.hand(relay.members[1])
    relay.leader.x = relay.hand(relay.members[0]) * 2.0
    relay.log.append(relay.hand(relay.members[1]))
    return relay.end() + sum(p.x**2 for p in relay.members)


class Marked:
    def __init__(self, xs):
        self.members = drops(xs)
        self._leader = self.members[0]
        self.turns = 0

    @property
    def leader(self):
        return self._leader

    @leader.setter
    def leader(self, p):
        self.turns += 1
        self._leader = p

    def step(self):
        self.leader = self.members[1]
        self.leader.x += 0.3


def setter_of_what_is_made_once(xs):
    marked = Marked(xs)
    marked.step()
    return marked.leader.x * marked.turns


class Member:
    def __init__(self, x):
        self.x = x
        self.bias = 0.5
        self.props = {"bias": x}

    def meet(self, other):
        self.bias += 0.1 * other.x
        return self.bias

    @property
    def score(self):
        return self.x * self.bias + self.props["bias"]


class Members:
    def __init__(self, members):
        self.items = members


def another_after_they_met(xs):
    members = Members([Member(x) for x in xs])
    lead, other = members.items[0], members.items[1]
    total = lead.meet(other)
    if total > 1.0:
        lead = other
    for member in members.items:
        total += member.score
    return total + lead.x


@pytest.mark.parametrize(("function", "args"), [
    (leader_in_an_attribute, (np.array([0.3, -0.7, 0.9]),)),
    (reads_a_total_before_a_call, (np.array([0.3, 0.7]),)),
    (stores_behind_a_call, (np.array([0.3, 0.7]),)),
    (hands_on_while_it_writes, (np.array([0.3, 0.7]),)),
    (setter_of_what_is_made_once, (np.array([0.3, 0.7]),)),
    (another_after_they_met, (np.array([0.3, 0.7]),)),
    (another_after_they_met, (np.array([0.3, 8.7]),)),
    (captains_of_two_teams, (np.array([0.3, -0.7]), np.array([0.9, 0.2]))),
])
def test_objects_that_an_attribute_chooses(function: Callable[..., Any], args: tuple) -> None:
    """``self.leader = p``: one of the objects of a list under a second name, in an attribute."""
    s2sgrad.check_grad(function, *args)
    assert s2sgrad.value_and_grad(function)(*args)[0] == function(*args)


class Track:
    def __init__(self, x):
        self.x = x
        self.log = [x, x * x]


def first_that_fits(xs, rate):
    tracks = [Track(x) for x in xs]
    track = next(track for track in tracks if track.x > 0.1)
    return track.log[1] * rate + tracks[0].x


def test_second_derivatives_of_a_list_in_the_object_that_a_loop_finds() -> None:
    """Before the loop finds it, there is no object that has a list."""
    np.testing.assert_allclose(s2sgrad.hessian(first_that_fits)(np.array([-0.4, 0.3, 0.9]), 0.7), np.diag([0, 1.4, 0]))
