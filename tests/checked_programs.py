"""What must hold of a program of the corpus: it runs, repeats itself, and can be differentiated numerically where it
stands."""
from __future__ import annotations

import numpy as np
from corpus import assert_same, is_of_floats, leaves
from corpus_runs import Tried

from s2sgrad.judge import numerical_gradient

WELL_CONDITIONED = 1e-7


def repeats_itself_and_leaves_its_arguments_alone(tried: Tried) -> None:
    program = tried.program
    if not program.name.startswith((
            "afterwards.", "arguments.", "by_name.", "carried.", "deques.", "double_buffers.", "exchanges.",
            "given_containers.", "kinds_of_dicts.", "handed_back.", "held_views.rows_of_argument",
            "held_views.argument_parts",
            "in_a_row.", "in_expressions.", "layers_with_state.", "lazily.",
            "late.cache_of_an_argument", "linked.", "lost_in_calls.", "names.helper_named", "nested_dicts.the_callers",
            "outputs.",
            "particles.", "parts_handed.", "parts_used.stepped_as_given",
            "places_of_objects.led", "places_of_objects.best", "places_of_objects.data", "places_of_objects.in_an",
            "run_time_keys.a_key_more_", "run_time_keys.a_memo_of_an_argument", "run_time_keys.an_argument_under_",
            "run_time_keys.keys_taken_out_of_an_argument",
            "second_names_handed.alias_written_in_callee_argument", "shared_parts.momentum_given",
            "short_circuits.stopped_by_the_callers_object", "sorted_objects.largest_by_its_place",
            "states.", "trained.an_argument",
            "turns_of_matrices.vectors_with_names", "worlds.")):
        assert_same(tried.left, program.args())
    again = program.args()
    assert_same(program.function(*again), tried.plain)
    assert_same(again, tried.left)
    for leaf in leaves(tried.plain):
        assert not is_of_floats(leaf) or np.all(np.isfinite(leaf))


def arguments_are_fresh(tried: Tried) -> None:
    found = [value for value in leaves(tried.program.args() + tried.program.args())
             if isinstance(value, np.ndarray) and value.size]
    for index, one in enumerate(found):
        for other in found[:index]:
            assert not np.shares_memory(one, other)


def is_well_conditioned(tried: Tried) -> None:
    program, args = tried.program, tried.program.args()
    largest = 0.0
    for argnum in program.argnums:
        if not is_of_floats(args[argnum]):  # judged part by part where its gradients are
            continue
        estimate = numerical_gradient(program.function, args, argnum)
        if program.known is not None:
            continue
        assert np.all(np.isfinite(estimate.value))
        largest = max(largest, float(np.max(np.abs(estimate.value), initial=0.0)))
        allowed = WELL_CONDITIONED * max(largest, 1.0)
        assert np.all(estimate.error <= allowed), f"argument {argnum}: {estimate}"
