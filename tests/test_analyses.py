"""Each analysis changes what is generated: tests/checked_gradients.py has the programs of the corpus without them."""
from __future__ import annotations

from checked_gradients import SWITCHED_OFF
from corpus import PROGRAMS

from s2sgrad.derivative import Options
from s2sgrad.entry import pullback_entry


def test_switches_make_a_difference() -> None:
    """A switch that changes no text would test nothing."""
    for analysis, options in SWITCHED_OFF.items():
        changed = 0
        for program in [program for program in PROGRAMS if not program.needs][:60]:
            texts = []
            for each in (Options(), options):
                entry = pullback_entry(program.function, None, each)
                _, path, _, compiled = entry.call(*program.args())
                compiled.table[path]
                texts.append(str(compiled.derivative.primal_text) + "".join(map(str, compiled.table.texts.values())))
            changed += texts[0] != texts[1]
        assert changed, analysis
