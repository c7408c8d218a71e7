"""The corpus is sound: its programs run, repeat themselves, and can be differentiated numerically where they stand."""
from __future__ import annotations

import numpy as np
import pytest
from corpus import PROGRAMS, Program, assert_same, is_of_floats, leaves

from s2sgrad.judge import numerical_gradient

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
WELL_CONDITIONED = 1e-7


def test_names_are_unique() -> None:
    names = [program.name for program in PROGRAMS]
    assert len(set(names)) == len(names) >= 170


def test_results_of_all_kinds() -> None:
    results = [program.function(*program.args()) for program in PROGRAMS]
    assert sum(isinstance(result, (tuple, np.ndarray)) for result in results) >= 40
    assert sum(isinstance(result, float) for result in results) >= 100


@each_program
def test_repeats_itself_and_leaves_its_arguments_alone(program: Program) -> None:
    args, again = program.args(), program.args()
    first = program.function(*args)
    if not program.name.startswith((
            "afterwards.", "arguments.", "by_name.", "carried.", "double_buffers.", "exchanges.",
            "given_containers.", "handed_back.", "held_views.rows_of_argument", "held_views.argument_parts",
            "in_a_row.", "in_expressions.", "layers_with_state.", "lazily.",
            "late.cache_of_an_argument", "linked.", "lost_in_calls.", "names.helper_named", "nested_dicts.the_callers",
            "outputs.",
            "particles.", "parts_handed.",
            "run_time_keys.a_key_more_", "run_time_keys.a_memo_of_an_argument", "run_time_keys.an_argument_under_",
            "run_time_keys.keys_taken_out_of_an_argument",
            "second_names_handed.alias_written_in_callee_argument", "shared_parts.momentum_given",
            "sorted_objects.largest_by_its_place",
            "states.", "trained.an_argument",
            "turns_of_matrices.vectors_with_names", "worlds.")):
        assert_same(args, program.args())
    assert_same(program.function(*again), first)
    assert_same(again, args)
    for leaf in leaves(first):
        assert not is_of_floats(leaf) or np.all(np.isfinite(leaf))


@each_program
def test_arguments_are_fresh(program: Program) -> None:
    arrays = [value for value in leaves(program.args() + program.args())
              if isinstance(value, np.ndarray) and value.size]
    for index, one in enumerate(arrays):
        for other in arrays[:index]:
            assert not np.shares_memory(one, other)


@each_program
def test_is_well_conditioned(program: Program) -> None:
    args = program.args()
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
