"""Every program of the corpus, with all that is checked of one."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import checked_again
import checked_gradients
import checked_programs
import checked_tangents
import pytest
from checks import Checks, Sampled
from corpus import PROGRAMS, Program
from corpus_runs import Tried

from s2sgrad.entries import entries_of

OF_ALL = (
    checked_programs.repeats_itself_and_leaves_its_arguments_alone,
    checked_programs.arguments_are_fresh,
    checked_gradients.value_is_that_of_the_function,
    checked_gradients.gradients_are_right,
    checked_gradients.arguments_are_left_as_the_function_leaves_them,
    checked_gradients.it_prints_what_the_function_prints,
    checked_gradients.gradients_have_memory_of_their_own,
    checked_gradients.gradients_are_formed_like_their_arguments,
    checked_gradients.twice_the_same,
    checked_tangents.both_modes_agree,
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_program(program: Program, sampled: Sampled) -> None:
    """Its value is untouched, the judge agrees with its gradients, and its tangents with them; the rest is tried for
    some programs."""
    tried = Tried(program)
    assert tried.first
    with Checks() as checks:
        def run(check: Callable[..., None], *args: Any, one_in: int = 1) -> None:
            title = " ".join([f"{check.__module__}.{check.__name__}", *map(str, args)])
            if sampled(one_in, f"{title} {program.name}"):
                checks.run(title, check, tried, *args)

        for check in OF_ALL:
            run(check)
        run(checked_programs.is_well_conditioned, one_in=4)
        if len(program.argnums) > 1:
            for argnum in program.argnums:
                run(checked_gradients.one_argument_alone, argnum, one_in=4 * len(program.argnums))
                run(checked_tangents.one_argument_alone, argnum, one_in=4 * len(program.argnums))
        for analysis in checked_gradients.switched_off(program):
            run(checked_gradients.gradients_do_not_depend_on_an_analysis, analysis,
                one_in=1 if analysis in program.needs else 16)
        for analysis in checked_tangents.switched_off(program):
            run(checked_tangents.both_modes_agree, analysis, one_in=1 if analysis in program.needs else 16)
        if tried.is_number:
            run(checked_gradients.writing_over_gives_the_same, one_in=4)
        run(checked_gradients.pullbacks_that_write_over_run_twice, one_in=6)
        if tried.is_number and program.known is None and (  # else at a kink
                program.name in checked_again.REFUSED or sampled(12, f"again {program.name}")):
            checks.run("checked_again.gradients_of_gradients", checked_again.gradients_of_gradients, tried,
                       sampled(3, f"forwards over reverse {program.name}"))
    entries_of(program.function).kept.clear()
