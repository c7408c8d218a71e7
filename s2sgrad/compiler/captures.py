"""What an adjoint reads of its primal: the to-be-recorded analysis, and the layout of the saved tuples.

Reverse generation asks for a value by :meth:`Captures.version`, :meth:`Captures.part` and their kin and gets the name
under which the adjoint has it. What was asked for, and nothing else, is saved: by the block that makes it, a function
body or the turn of a loop.
"""
from __future__ import annotations

import functools
from typing import Any

import gast

from s2sgrad.compiler.facts import Version
from s2sgrad.compiler.nodes import Names
from s2sgrad.compiler.program import Branch, Context, Loop, statements
from s2sgrad.errors import Location, UnsupportedError
from s2sgrad.frozen import frozen
from s2sgrad.rules.abstract import Abstract


@frozen(eq=False)
class Capture:
    """One slot of a saved tuple.

    Attributes
    ----------
    kind
        ``"version"`` of a name, ``"part"`` of an expression, the ``"shape"``, ``"size"`` or ``"len"`` of such a part, a
        ``"mask"`` that a rule makes of it, the ``"decision"`` of a branch, whether a loop ``"returned"``, the
        ``"buffer"`` of a loop's turns, a callee's ``"path"`` or ``"saved"``.
    subject
        The Version, expression or statement that it is of.
    name
        Its name in the adjoint.
    block
        The loop whose turns save it, None for the function.
    needed_by
        The place in the user's source whose reversal reads it.
    """

    kind: str
    subject: Any
    name: str
    block: Loop | None
    value: Abstract
    needed_by: Location
    statement: Any = None
    """The statement that an expression stands in."""
    formula: tuple[gast.AST, dict[str, gast.AST], dict[gast.AST, str]] | None = None
    """Of a mask: the comparison, the expression behind each name in it, and names for these expressions."""


written_out = functools.lru_cache(maxsize=1024)(gast.dump)
"""The text of a comparison in a formula, of which there are few."""


def mask_of(node: gast.AST, comparison: gast.AST) -> tuple[gast.AST, str]:
    """The subject of a mask: the formulas of one rule may give one name to several comparisons."""
    return node, written_out(comparison)


class NotSaved(UnsupportedError):
    """An adjoint asks for a value that the primal, compiled already, does not save; a refusal where no other adjoint
    serves, as where it is differentiated itself."""

    def __init__(self, what: str, location: Location | None = None):
        super().__init__(f"the gradient's text reads {what}, which it does not save",
                         "use hvp(f)(x, v), or hessian(f), for a second derivative", location)


class Captures:
    """The captures of one derivative, shared by its general adjoint and those of its paths."""

    def __init__(self, names: Names, underscore: bool):
        """``underscore``: whether the function reads a name ``_``."""
        self.names = names
        self.table: dict[tuple[str, Any], Capture] = {}
        self.plain: dict[str, tuple[Version, ...]] = {}
        """The versions that an adjoint has under their own name: more than one of a name where each is there only in
        the turns of its own loop."""
        self.same: dict[tuple[Any, Any], gast.AST] = {}
        """The first of several expressions that are written alike, by statement and by what is alike for them."""
        self.again: dict[int, gast.AST] = {}
        """For the others the first."""
        self.read_again: set[Any] = set()
        """The statements in which there may be such others."""
        self.made_in: dict[int, Any] = {}
        """For a first one that stands in, or before, another statement than may be asked about, that statement."""
        self.counted: dict[Loop, Version | None] = {}
        """Loops whose reversal counts by itself, with the version of the target that it so provides."""
        self.shapes: set[Version] = set()
        """Versions that zeros are made like."""
        self.sized: dict[str, Any] = {}
        """The names of parameters that were asked for the size of other arrays, with their shapes."""
        self.elsewhere: dict[str, tuple[str, str | None]] = {}
        """For the names of arrays that adjoints read but the shape of the saved ones of which they read it instead;
        for names of shapes and sizes, too, with what they are."""
        self.unused = names.fresh("_") if underscore else "_"
        """The target for slots that an adjoint doesn't read."""
        names.taken.add("_")
        self.contents: set[str] = set()
        """The names of versions of which adjoints read more than shape and size."""
        self.measured_alone: set[str] = set()
        """Those of which they can read no more: the primal saves them as they are, and what is in them may change."""
        self.parts_read: dict[str, set[str] | None] = {}
        """The names of versions of objects and dicts with the attributes and keys of which adjoints read what is there;
        None for those that they read as a whole."""
        self.left_out: dict[str, set[str]] = {}
        """What the primal does not save of them."""
        self.pruned: set[tuple[str, Any]] = set()
        """What was asked for in vain, and shall not take a name from others."""
        self.saved: frozenset | None = None
        """What the primal saves, once it is written; an adjoint may ask for more, but not mention it."""
        self.earlier: frozenset = frozenset()
        """What adjoints before this one asked for."""
        self.lent: dict[Version, Context] = {}
        """What managers gave, and whatever may be the same memory, with the ``with`` statement."""

    def snapshot(self) -> tuple:
        return dict(self.table), dict(self.plain), set(self.names.taken), dict(self.counted)

    def restore(self, snapshot: tuple) -> None:
        self.table, self.plain, self.names.taken, self.counted = snapshot

    def start(self) -> None:
        """Another adjoint is being written."""
        self.earlier = frozenset(self.table)

    def freeze(self) -> None:
        """The primal is being written: from now on no more is saved."""
        self.saved = frozenset(self.table)

    def measured(self, among: set[Version]) -> set[Version]:
        """Those of these versions that are saved and of which nothing is read but shape and size; nothing else will be
        read of them from now on."""
        found = {capture.subject: capture.name for capture in self.table.values() if capture.kind == "version"
                 and capture.subject in among and capture.name not in self.contents}
        self.measured_alone.update(found.values())
        return set(found)

    def leave_out(self, version: Version, steps: list[str]) -> list[str]:
        """Those of these attributes or keys of a saved object or dict that no adjoint reads, nor will from now on."""
        label = self.table["version", version].name
        read = self.parts_read.get(label)
        unread = [] if read is None else [step for step in steps if step not in read]
        self.left_out[label] = set(unread)
        return unread

    def has(self, kind: str, subject: Any) -> bool:
        """Whether an adjoint can have it without more being saved."""
        return (kind, subject) in (self.table if self.saved is None else self.saved)

    def finish(self, used: set[str], contents: set[str], parts: dict[str, set[str] | None]) -> None:
        """An adjoint is written, with these names in it, of which it reads the ``contents`` of some, and certain
        ``parts`` alone of others. Raises NotSaved if one of them is not saved."""
        if self.saved is None:
            self.contents |= contents
            for label, steps in parts.items():
                known = self.parts_read.get(label, set())
                self.parts_read[label] = None if steps is None or known is None else known | steps
            self.prune(None, used)
            return
        missing = [key for key in self.table if key not in self.saved]
        captures = [self.table.pop(key) for key in missing]
        for capture in captures:
            if capture.name in used:
                raise NotSaved(capture.name, capture.needed_by)
        for label in contents & self.measured_alone:
            raise NotSaved(f"what is in {label}")
        for label, steps in parts.items():
            missing_parts = self.left_out.get(label, set())
            if missing_parts if steps is None else missing_parts & steps:
                raise NotSaved(f"all of {label}")
        self.contents |= contents

    def _add(self, kind: str, subject: Any, wanted: str, block: Loop | None, value: Abstract,
             location: Location, statement: Any = None, formula: Any = None) -> str:
        key = (kind, id(subject) if isinstance(subject, gast.AST) else subject)
        capture = self.table.get(key)
        if capture is None:
            if kind == "version" and key not in self.pruned and self.is_plain(subject):
                chosen = wanted
            else:
                chosen = self.names.fresh(f"{wanted}_before" if kind == "version" else wanted)
            capture = self.table[key] = Capture(kind, subject, chosen, block, value, location, statement,
                                                formula)
        return capture.name

    def is_plain(self, version: Version) -> bool:
        """Whether an adjoint may have a version under its own name, which it has from now on."""
        others = self.plain.get(version.name, ())
        if version not in others:
            if not all(apart(version.loop, other.loop) for other in others):
                return False
            self.plain[version.name] = (*others, version)
        return True

    def version(self, version: Version, location: Location) -> str:
        if version in self.lent:
            self.check_lent(self.lent[version], version.name, location)
        return self._add("version", version, version.name, version.loop, version.value, location)

    def check_lent(self, block: Context, label: str, location: Location) -> None:
        """Raises UnsupportedError where an adjoint reads behind a block what its manager may have written into at its
        end: what is saved of that is what it was before."""
        lines = [statement.location.line for statement in (block, *statements(block.body))]
        if not min(lines) <= location.line <= max(lines):
            raise UnsupportedError(
                f"{label} is what a manager gave, or may share memory with it, and is read behind the block, at the "
                "end of which the manager may write into it",
                f"read it in the block, or behind it a copy, np.array({label})", location)

    def part(self, node: gast.AST, wanted: str, block: Loop | None, value: Abstract, statement: Any) -> str:
        return self._add("part", node, wanted, block, value, statement.location, self.made_in.get(id(node), statement))

    def measure(self, kind: str, node: gast.AST, wanted: str, block: Loop | None, value: Abstract,
                statement: Any) -> str:
        """The ``"shape"``, ``"size"`` or ``"len"`` of an expression's value."""
        return self._add(kind, node, f"{wanted}_{kind}", block, value, statement.location,
                         self.made_in.get(id(node), statement))

    def mask(self, node: gast.AST, wanted: str, formula: tuple, block: Loop | None, value: Abstract,
             statement: Any) -> str:
        """A comparison that a rule makes, in an eighth of the memory of what it compares."""
        subject = mask_of(node, formula[0])
        return self._add("mask", subject, wanted, block, value, statement.location, statement, formula)

    def decision(self, branch: Branch, block: Loop | None, value: Abstract) -> str:
        return self._add("decision", branch, f"taken_{branch.location.line}", block, value, branch.location)

    def returned(self, loop: Loop, block: Loop | None, value: Abstract) -> str:
        return self._add("returned", loop, f"returned_{loop.location.line}", block, value, loop.location)

    def buffer(self, loop: Loop, block: Loop | None, value: Abstract) -> str:
        return self._add("buffer", loop, f"loop_{loop.location.line}", block, value, loop.location)

    def callee(self, statement: Any, role: str, wanted: str, block: Loop | None, value: Abstract) -> str:
        return self._add(role, statement, f"{wanted}_{role}", block, value, statement.location)

    def keys(self, names: tuple[str, ...], loops: list[Loop]) -> list[tuple[str, Any] | None]:
        """What each of these names stands for in the adjoint, inside of these loops."""
        found = {capture.name: key for key, capture in self.table.items()
                 if capture.name in names and (capture.block is None or capture.block in loops)}
        return [found.get(name) for name in names]

    def prune(self, block: Loop | None, used: set[str]) -> None:
        """Forget what a block was asked for and then did not mention: a product with it was found ready-made."""
        if self.saved is not None:
            return
        for key, capture in list(self.table.items()):
            if capture.block is block and capture.name not in used and key not in self.earlier:
                del self.table[key]
                if capture.subject in self.plain.get(capture.name, ()):
                    self.pruned.add(key)

    def key(self, capture: Capture) -> tuple[str, Any]:
        """What a capture is known under."""
        return capture.kind, id(capture.subject) if isinstance(capture.subject, gast.AST) else capture.subject

    def forget(self, capture: Capture) -> bool:
        """Save something no more that this adjoint asked for and does without; False where others need it, or where it
        is not saved."""
        key = self.key(capture)
        if self.saved is not None or key in self.earlier:
            return False
        del self.table[key]
        return True

    def layout(self, block: Loop | None) -> list[Capture]:
        """The slots of a block's saved tuple: reverse order of asking is roughly the order of the source."""
        saved = self.table if self.saved is None else self.saved
        slots = [capture for key, capture in self.table.items() if capture.block is block and key in saved
                 and not (block is not None and block in self.counted and capture.subject is self.counted[block])]
        slots.reverse()
        slots.sort(key=_parameters_first)
        return slots


def apart(first: Loop | None, second: Loop | None) -> bool:
    """Whether two loops have no turn in common."""
    return first is not None and second is not None and first is not second and not any(
        inner in statements(outer.body) for inner, outer in ((first, second), (second, first)))


def _parameters_first(capture: Capture) -> float:
    is_parameter = capture.kind == "version" and capture.subject.origin == "parameter"
    return capture.subject.index if is_parameter else float("inf")
