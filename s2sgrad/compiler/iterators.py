"""Iterators that have names, ``it = iter(xs)``, as what they run through and how far they have come.

What is asked for in one place only goes there, ``for a, b in pairs`` becomes ``for a, b in zip(xs, ys)``: an iterator
looks at what it runs through when it is asked, not when it is made. Of an iterator over a sequence ``next(it)`` is
``xs[place]``, where the sequence is long enough, and the rest is ``xs[place:]``. Names that are used
otherwise stay as they are, for nobody to follow. Loops over ``iter(function, sentinel)`` ask the function themselves.
"""
from __future__ import annotations

import copy
import inspect
import itertools
import types
from collections import deque
from typing import Any

import gast
import numpy as np

from s2sgrad.compiler.equivalents import grouped, in_order, rest_of
from s2sgrad.compiler.handed_out import returns_iterator
from s2sgrad.compiler.held_outside import held
from s2sgrad.compiler.names_apart import give_names_of_their_own
from s2sgrad.compiler.nodes import Names, call, constant, is_starred, located_at, name, names_in, subscript
from s2sgrad.compiler.program import in_turn
from s2sgrad.compiler.running_again import CHANGELESS
from s2sgrad.compiler.scopes import COMPREHENSIONS, defaults, yields
from s2sgrad.rules.abstract import MISSING

LAZY = (iter, zip, enumerate, map, filter, itertools.islice, itertools.chain, itertools.accumulate, itertools.starmap,
        itertools.takewhile, itertools.dropwhile, itertools.repeat, itertools.cycle, itertools.compress,
        itertools.zip_longest)
"""What looks at its arguments when it is asked for the first item, and not before."""
ARRAY_METHODS = {*dir(np.ndarray), *dir(dict)} - {*dir(list)}
"""What is no method of a list that changes it."""
FRESH = (gast.List, gast.Tuple, gast.ListComp)
RUN_TO_THE_END = (list, tuple, deque, sum, min, max, sorted)
USED = (iter, next, len, list, StopIteration)
"""What the statements made here, and those that are looked for, need of the builtins."""
SCOPES = (gast.FunctionDef, gast.Lambda)
LOOPS = (gast.For, gast.While)
PERHAPS = (gast.comprehension, *COMPREHENSIONS, gast.IfExp, gast.BoolOp, *SCOPES)
"""Expressions whose parts may be evaluated never, or several times."""
SIMPLE = (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Expr, gast.Return, gast.If)
"""Statements whose own expressions are evaluated once."""


def with_places(tree: Any, function: types.FunctionType) -> tuple[Any, dict[str, Any]] | None:
    """A function without named iterators, as far as they are followed, and the functions that it has for them under
    names of their own; None where there is none that can be."""
    if not isinstance(tree.body, list):
        return None
    work = _Iterators(copy.deepcopy(tree), function)
    if any(work.outer(name(known.__name__)) is not known for known in USED):
        return None
    made = give_names_of_their_own(work.tree, work.makes_iterator, work.names)
    if made:
        work = _Iterators(work.tree, function)
    made = work.end_at_sentinels() or made
    made = work.group() or made
    made = work.share() or made
    for label in work.candidates():
        trial = _Iterators(copy.deepcopy(work.tree), function)
        trial.given, trial.names = dict(work.given), work.names
        try:
            trial.rewrite(label)
        except _NotFollowed:
            continue
        work, made = trial, True
    return (work.tree, work.given) if made else None


class _NotFollowed(Exception):
    """The name is used in a way that is not known here."""


class _Iterators:
    def __init__(self, tree: Any, function: types.FunctionType):
        self.tree = tree
        self.function = function
        self.given: dict[str, Any] = {}
        self.order: list = []
        """All nodes, in the order of the text."""
        self.parents: dict[int, Any] = {}
        self.note(tree, None)
        self.stores = [node for node in self.order if isinstance(node, gast.Name) and not isinstance(
            node.ctx, gast.Load)]
        self.names = Names({getattr(node, "id", getattr(node, "name", "")) or "" for node in self.order})

    def note(self, node: Any, parent: Any) -> None:
        self.parents[id(node)] = parent
        self.order.append(node)
        decorators = node.decorator_list if node is self.tree and isinstance(node, gast.FunctionDef) else []
        for child in gast.iter_child_nodes(node):
            if not any(child is decorator for decorator in decorators):  # they are none of the body's business
                self.note(child, node)

    def outer(self, node: Any) -> Any:
        """What an outer name stands for."""
        bound = {inner.id for inner in self.stores} | {
            inner.name for inner in self.order if isinstance(inner, gast.FunctionDef) and inner is not self.tree}
        return MISSING if not bound.isdisjoint(names_in(node)) else held(node, self.function)

    def give(self, wanted: str, function: Any) -> gast.AST:
        """The name of a function that is not the user's."""
        for label, value in self.given.items():
            if value is function:
                return name(label)
        label = self.names.fresh(wanted)
        self.given[label] = function
        return name(label)

    def around(self, node: Any, kinds: tuple) -> list:
        """What of some kinds a node is in."""
        found = []
        parent = self.parents[id(node)]
        while parent is not None:
            whole = self.parents[id(parent)]
            if isinstance(parent, gast.comprehension) and node is parent.iter and whole.generators[0] is parent:
                parent = whole  # which evaluates that once, and at once
            elif isinstance(parent, kinds) and not (isinstance(parent, gast.For) and node is parent.iter):
                found.append(parent)
            node, parent = parent, self.parents[id(parent)]
        return found

    def in_scopes(self, node: Any) -> bool:
        return any(part is not self.tree for part in self.around(node, SCOPES))

    def statement_of(self, node: Any) -> Any:
        while not isinstance(node, gast.stmt):
            node = self.parents[id(node)]
        return node

    def may_grow(self, items: Any) -> bool:
        """Whether something here may put more into what is run through, if that is a list."""
        aliases = set(names_in(items)) | {label for node in self.order if isinstance(node, gast.Assign)
                                          and isinstance(node.value, (gast.Name, gast.Attribute, gast.Subscript))
                                          for part in node.targets for label in names_in(part)}
        for node in self.order:
            if isinstance(node, gast.AugAssign) and (isinstance(node.value, FRESH) or not aliases.isdisjoint(
                    names_in(node.target))):
                return True
            if isinstance(node, gast.Call) and not self.is_harmless(node):
                return True
            if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice) and not isinstance(
                    node.ctx, gast.Load):
                return True
        return False

    def may_change(self, items: Any) -> bool:
        """Whether something here may put more into what is run through, or something else in its place."""
        makers: dict[str, list] = {}
        for node in self.order:
            for target in node.targets if isinstance(node, gast.Assign) else ():
                if isinstance(target, gast.Name):
                    makers.setdefault(target.id, []).append(node.value)
        for node in self.order:
            if isinstance(node, (gast.Subscript, gast.Attribute)) and not isinstance(node.ctx, gast.Load):
                return True
            if isinstance(node, gast.AugAssign) and not all(isinstance(
                    made, (gast.Constant, gast.BinOp, gast.UnaryOp)) for made in makers.get(
                        getattr(node.target, "id", ""), [None])):
                return True
        return self.may_grow(items)

    def is_harmless(self, node: Any) -> bool:
        """Whether this is a call of a builtin or of one of NumPy's functions, which change nothing here."""
        function = self.outer(node.func) if isinstance(node, gast.Call) else MISSING
        if any(function is known for known in (*USED, *CHANGELESS)):
            return True
        if function is MISSING and isinstance(getattr(node, "func", None), gast.Attribute):
            return node.func.attr in ARRAY_METHODS
        module = str(getattr(function, "__module__", "") or type(function).__module__).partition(".")[0]
        return function is not MISSING and module in ("numpy", "math") and not any(
            item.arg == "out" for item in node.keywords)

    # ---- which names

    def candidates(self) -> list[str]:
        """The names that are bound to iterators, and to nothing else."""
        found: dict[str, bool] = {}
        for node in self.stores:
            found[node.id] = found.get(node.id, True) and self.makes_iterator(self.parents[id(node)]) \
                and not self.in_scopes(node)
        shared = {label for node in self.order if isinstance(node, (gast.Global, gast.Nonlocal))
                  for label in node.names}
        return [label for label, plain in found.items() if plain and label not in shared]

    def makes_iterator(self, statement: Any) -> bool:
        return isinstance(statement, gast.Assign) and len(statement.targets) == 1 and self.is_iterator(statement.value)

    def is_iterator(self, made: Any) -> bool:
        if isinstance(made, gast.GeneratorExp):
            return True
        if not isinstance(made, gast.Call) or any(isinstance(item, gast.Starred) for item in made.args) or any(
                item.arg is None for item in made.keywords):
            return False
        function = self.outer(made.func)
        if isinstance(made.func, gast.Name) and any(isinstance(node, gast.FunctionDef) and node.name == made.func.id
                                                    and yields(node) for node in self.order):
            return True
        return any(function is known for known in LAZY) and len(made.args) > 0 and (
            function is not iter or len(made.args) == 1) or isinstance(function, types.FunctionType) and (
                inspect.isgeneratorfunction(function) or returns_iterator(function))

    def end_at_sentinels(self) -> bool:
        """Write loops over ``iter(function, sentinel)`` as what they do; whether there are any."""
        loops: dict[int, list] = {}
        for loop in self.order:
            made = loop.iter if isinstance(loop, gast.For) else None
            if isinstance(made, gast.Call) and len(made.args) == 2 and not made.keywords and self.outer(
                    made.func) is iter and not self.in_scopes(loop):
                asked = self.asked_anew(made.args[0], loop)
                if asked is not None and isinstance(made.args[1], gast.Constant) and not loop.orelse:
                    loops[id(loop)] = [self.until(loop, asked, made.args[1])]
        replace_in(self.tree, {}, dict(loops))
        self.order, self.parents = [], {}
        self.note(self.tree, None)
        return bool(loops)

    def group(self) -> bool:
        """Write loops over ``itertools.groupby`` as such over lists of its groups, which can be run through once each;
        whether there are any."""
        found = False
        for loop in list(self.order):
            made = getattr(loop, "iter", None)
            target = getattr(loop, "target", None)
            if not isinstance(made, gast.Call) or self.outer(made.func) is not itertools.groupby \
                    or not isinstance(target, gast.Tuple) or len(target.elts) != 2 or any(
                    isinstance(item, gast.Starred) for item in made.args) or not isinstance(target.elts[1], gast.Name):
                continue
            group = target.elts[1]
            if isinstance(loop, gast.For) and not self.in_scopes(loop):
                items, label = self.names.fresh(group.id), self.own_name(loop, group.id)
                target.elts[1] = gast.copy_location(gast.Name(items, gast.Store(), None, None), group)
                loop.body.insert(0, assigned(label, call("iter", name(items)), group))
            elif not isinstance(loop, gast.comprehension) or not self.is_run_through_once(loop, group):
                continue
            made.func, found = gast.copy_location(self.give("grouped", grouped), made.func), True
        self.note_again()
        return found

    def share(self) -> bool:
        """Write ``a, b = itertools.tee(xs)`` as two iterators over one list, and ``a, b = iter(xs), iter(ys)`` as two
        assignments; whether there is any."""
        found: dict[int, list] = {}
        for node in self.order:
            made = node.value if isinstance(node, gast.Assign) and len(node.targets) == 1 else None
            targets = getattr(node.targets[0], "elts", ()) if made is not None else ()
            if not targets or not all(isinstance(target, gast.Name) for target in targets) or self.in_scopes(node):
                continue
            values = getattr(made, "elts", ())
            if self.is_shared(made, len(targets)):
                items = self.names.fresh("items")
                found[id(node)] = [assigned(items, call("list", made.args[0]), made), *(
                    assigned(target.id, call("iter", name(items)), target) for target in targets)]
            elif len(values) == len(targets) and all(isinstance(value, gast.Call) and self.outer(
                    value.func) is iter for value in values) and {target.id for target in targets}.isdisjoint(
                        names_in(made)):
                found[id(node)] = [assigned(target.id, value, target) for target, value in zip(targets, values)]
        replace_in(self.tree, {}, dict(found))
        self.note_again()
        return bool(found)

    def is_shared(self, made: Any, count: int) -> bool:
        """Whether a call of ``itertools.tee`` gives so many iterators."""
        return isinstance(made, gast.Call) and self.outer(made.func) is itertools.tee and not is_starred(made) \
            and not made.keywords and getattr([*made.args, constant(2)][1], "value", None) == count

    def note_again(self) -> None:
        self.order, self.parents = [], {}
        self.note(self.tree, None)
        self.stores = [node for node in self.order if isinstance(node, gast.Name) and not isinstance(
            node.ctx, gast.Load)]

    def own_name(self, loop: gast.For, label: str) -> str:
        """A name that the variable of a loop has in this loop alone; its own where it is read behind the loop."""
        inside = [node for node in self.order if isinstance(node, gast.Name) and node.id == label
                  and any(part is loop for part in self.around(node, LOOPS))]
        others = [node for node in self.order if isinstance(node, gast.Name) and node.id == label and not any(
            node is part for part in inside)]
        if len(others) < 2 or any(isinstance(node.ctx, gast.Load) and not any(
                label in names_in(part.target) for part in self.around(node, gast.For)) for node in others):
            return label
        own = self.names.fresh(label)
        for node in inside:
            node.id = own
        return own

    def is_run_through_once(self, generator: Any, group: gast.Name) -> bool:
        """Whether a comprehension runs through each group at once, and no more than once."""
        whole = self.parents[id(generator)]
        uses = [node for node in gast.walk(whole) if isinstance(node, gast.Name) and node.id == group.id
                and node is not group]
        if len(uses) != 1 or not self.is_run_through(uses[0]):
            return False
        parent = self.parents[id(uses[0])]
        if isinstance(parent, gast.Call) and not any(self.outer(parent.func) is one for one in RUN_TO_THE_END):
            return False
        around = [part for part in self.around(uses[0], (*SCOPES, *COMPREHENSIONS)) if part is not self.tree]
        return around[:1] == [whole]

    def asked_anew(self, function: Any, loop: Any) -> Any:
        """What is evaluated in each turn of a loop over ``iter(function, sentinel)``; None where it is not known that
        ``function`` stays what it is."""
        if isinstance(function, gast.Lambda):
            given = function.args
            plain = not (given.args or given.posonlyargs or given.kwonlyargs or given.vararg or given.kwarg)
            return function.body if plain else None
        holder = function.value if isinstance(function, gast.Attribute) else function
        if not isinstance(holder, gast.Name) or self.is_bound_later(holder.id, loop):
            return None
        return located_at(gast.Call(function, [], []), function)

    def until(self, loop: Any, asked: Any, sentinel: gast.Constant) -> Any:
        """``while True``, with what a loop over ``iter(function, sentinel)`` does in each turn."""
        label = self.names.fresh("item")
        same = gast.Is() if sentinel.value is None else gast.Eq()
        end = gast.If(gast.Compare(name(label), [same], [sentinel]), [gast.Break()], [])
        bound = gast.Assign([loop.target], name(label), None)
        body = [assigned(label, asked, loop.iter), located_at(end, loop.iter), located_at(bound, loop.iter), *loop.body]
        return gast.copy_location(gast.While(located_at(constant(True), loop.iter), body, []), loop)

    def rewrite(self, label: str) -> None:
        makers = [self.parents[id(node)] for node in self.stores if node.id == label]
        uses = [node for node in self.order if isinstance(node, gast.Name) and node.id == label
                and isinstance(node.ctx, gast.Load)]
        place = self.order.index
        if not uses or any(map(self.in_scopes, uses)) or place(uses[0]) < place(makers[0]):
            raise _NotFollowed
        if len(makers) == len(uses) == 1 and self.is_asked_once(uses[0], makers[0]) and not self.is_next(
                self.parents[id(uses[0])]):
            self.move(makers[0], uses[0])
        else:
            _Counted(self, label, makers, uses).rewrite()

    def is_asked_once(self, use: Any, maker: Any) -> bool:
        """Whether an expression is evaluated once at most for each time that a statement before it runs."""
        loops = [loop for loop in self.around(use, (*LOOPS, *PERHAPS)) if loop is not self.tree]
        return all(isinstance(loop, (*LOOPS, gast.BoolOp, gast.IfExp)) for loop in loops) and all(
            any(loop is other for other in self.around(maker, LOOPS)) for loop in loops if isinstance(loop, LOOPS))

    def is_next(self, node: Any) -> bool:
        return isinstance(node, gast.Call) and 1 <= len(node.args) <= 2 and not node.keywords and isinstance(
            node.func, gast.Name) and self.outer(node.func) is next

    # ---- those that are asked for in one place

    def move(self, maker: Any, use: Any) -> None:
        """Put an iterator where it is asked for; what its arguments are is told where it was made."""
        before: list = []
        made = self.made_ready(maker.value, maker, before)
        if isinstance(made, gast.Call) and self.outer(made.func) is iter and self.is_run_through(use):
            made = made.args[0]
        replace_in(self.tree, {id(use): made}, {id(maker): before})

    def made_ready(self, made: Any, maker: Any, before: list) -> Any:
        """An iterator of which what Python evaluates at once has been evaluated before."""
        if isinstance(made, gast.GeneratorExp):
            made.generators[0].iter = self.named(made.generators[0].iter, maker, before)
            return made
        made.args = [self.named(item, maker, before) for item in made.args]
        for item in made.keywords:
            item.value = self.named(item.value, maker, before)
        return made

    def is_run_through(self, use: Any) -> bool:
        """Whether a name stands where it does not matter whether it is an iterator, or what that runs through."""
        parent = self.parents[id(use)]
        if isinstance(parent, gast.Call) and use is not parent.func:
            function = self.outer(parent.func)
            return any(function is known for known in (*RUN_TO_THE_END, *LAZY))
        return isinstance(parent, (gast.For, gast.comprehension)) and use is parent.iter

    def named(self, node: Any, maker: Any, before: list) -> Any:
        """An expression that stays what it is until the iterator is asked: a name where it might not."""
        if isinstance(node, gast.Constant) or isinstance(node, gast.Lambda) and not any(
                defaults(node.args)) or isinstance(node, gast.Name) and not self.is_bound_later(
                node.id, maker):
            return node
        if self.is_iterator(node):
            return self.made_ready(node, maker, before)
        label = self.names.fresh(node.id if isinstance(node, gast.Name) else "items")
        before.append(assigned(label, node, maker))
        return located_at(name(label), maker)

    def is_bound_later(self, label: str, maker: Any) -> bool:
        place = self.order.index
        return any(node.id == label and (place(node) > place(maker) or self.around(maker, LOOPS))
                   for node in self.stores)


class _Counted:
    """One name for iterators over sequences: what it stands for, and the number of the item that comes next."""

    def __init__(self, work: _Iterators, label: str, makers: list, uses: list):
        self.work = work
        self.label = label
        self.makers = makers
        self.uses = uses
        self.place = work.names.fresh("place")
        self.expressions: dict[int, Any] = {}
        self.statements: dict[int, list] = {}

    def rewrite(self) -> None:
        if not all(self.is_iter(maker.value) or self.gives_what_stays(maker.value) for maker in self.makers):
            raise _NotFollowed
        by_statement: dict[int, list] = {}
        for use in self.uses:
            by_statement.setdefault(id(self.work.statement_of(use)), []).append(use)
        for maker in self.makers:
            items = maker.value.args[0] if self.is_iter(maker.value) else call("list", maker.value)
            steady = not self.may_ask_again or isinstance(items, FRESH) or not self.work.may_grow(items)
            sequence = call(self.work.give("in_order", in_order), items, constant(steady))
            self.statements[id(maker)] = [assigned(self.label, sequence, maker),
                                          assigned(self.place, constant(0), maker)]
        for uses in by_statement.values():
            self.use(self.work.statement_of(uses[0]), uses)
        replace_in(self.work.tree, self.expressions, self.statements)

    @property
    def may_ask_again(self) -> bool:
        """Whether more may be asked for when there was nothing left."""
        if any(isinstance(node, gast.Try) for node in self.work.order):
            return True
        return not all(self.is_last(use) or self.work.is_next(asked) and len(asked.args) == 1
                       for use in self.uses for asked in [self.work.parents[id(use)]])

    def is_iter(self, made: Any) -> bool:
        return isinstance(made, gast.Call) and self.work.outer(made.func) is iter

    def gives_what_stays(self, made: Any) -> bool:
        """Whether this is a ``zip`` or ``enumerate`` that gives the same now as later, when it is asked."""
        work = self.work
        if not isinstance(made, gast.Call) or made.keywords or work.outer(made.func) not in (zip, enumerate):
            return False
        inside = [part for item in made.args for part in gast.walk(item)]
        return not any(isinstance(part, (gast.Call, *COMPREHENSIONS)) for part in inside) \
            and work.outer(name("list")) is list and not work.may_change(made)

    def is_last(self, use: Any) -> bool:
        """Whether nothing asks for more behind this."""
        return self.uses[-1] is use and any(self.work.is_asked_once(use, maker) for maker in self.makers[-1:])

    def use(self, statement: Any, uses: list) -> None:
        work = self.work
        if len(uses) == 1 and isinstance(statement, gast.For) and statement.iter is uses[0] and not self.is_last(
                uses[0]):
            self.statements[id(statement)] = self.turns(statement)
            return
        asked = [work.parents[id(use)] for use in uses]
        if self.is_several(uses, asked):
            for first, use in enumerate(uses):
                start = gast.BinOp(name(self.place), gast.Add(), constant(first)) if first else name(self.place)
                every = gast.Slice(start, None, constant(len(uses)))
                self.expressions[id(use)] = located_at(subscript(name(self.label), every), use)
        elif all(map(work.is_next, asked)):
            self.ask(statement, asked)
        elif len(uses) == 1 and self.is_last(uses[0]):
            self.expressions[id(uses[0])] = self.rest(uses[0])
        elif len(uses) == 1 and isinstance(statement, SIMPLE) and self.is_run_out(uses[0]):
            self.expressions[id(uses[0])] = self.rest(uses[0])
            end = assigned(self.place, call("len", name(self.label)), statement)
            self.statements[id(statement)] = [statement, end]
        else:
            raise _NotFollowed

    def is_several(self, uses: list, asked: list) -> bool:
        """Whether all is asked for that there is, several items at once: ``zip(it, it)``."""
        return len(uses) > 1 and all(parent is asked[0] for parent in asked) and isinstance(asked[0], gast.Call) \
            and asked[0].args == uses and not asked[0].keywords and self.work.outer(asked[0].func) is zip \
            and self.is_last(uses[-1])

    def is_run_out(self, use: Any) -> bool:
        """Whether all that there is is asked for, at once."""
        parent = self.work.parents[id(use)]
        statement = self.work.statement_of(use)
        return not isinstance(statement, (gast.Return, gast.If)) and not any(
            part is not self.work.tree for part in self.work.around(use, PERHAPS)) and (
            isinstance(parent, gast.Call) and self.work.outer(parent.func) in RUN_TO_THE_END)

    def rest(self, use: Any) -> Any:
        """What comes yet."""
        return located_at(call(self.work.give("rest_of", rest_of), name(self.label), name(self.place)), use)

    def there(self) -> Any:
        return gast.Compare(name(self.place), [gast.Lt()], [call("len", name(self.label))])

    def taken(self, target: Any, like: Any) -> list:
        """The next item under a name, and the count."""
        item = gast.Assign([target], subscript(name(self.label), name(self.place)), None)
        counted = gast.AugAssign(gast.Name(self.place, gast.Store(), None, None), gast.Add(), constant(1))
        return [located_at(item, like), located_at(counted, like)]

    def turns(self, loop: Any) -> list:
        """A loop behind or in which more is asked for."""
        body = [*self.taken(loop.target, loop.iter), *loop.body]
        return [gast.copy_location(gast.While(located_at(self.there(), loop.iter), body, loop.orelse), loop)]

    def ask(self, statement: Any, asked: list) -> None:
        """Put the calls of ``next`` in a statement before it."""
        work = self.work
        whole = isinstance(statement, gast.Assign) and statement.value is asked[0] and len(statement.targets) == 1
        if whole and len(asked[0].args) == 1:
            self.statements[id(statement)] = self.next_item(asked[0], statement.targets[0], statement)
            return
        test = isinstance(statement, gast.While)
        inside = statement.test if test else own_expression(statement)
        if inside is None or test and statement.orelse or any(
                part is not work.tree for call_ in asked for part in work.around(call_, PERHAPS)):
            raise _NotFollowed
        evaluated = [part for part in in_turn(inside) if isinstance(part, (gast.Call, gast.NamedExpr))]
        while evaluated and id(evaluated[-1]) not in map(id, asked):
            evaluated.pop()  # what is evaluated later may do what it will
        ordered = [part for part in evaluated if id(part) in map(id, asked)]
        if len(ordered) < len(asked) or not all(part in ordered or work.is_harmless(part) for part in evaluated):
            raise _NotFollowed
        before: list = []
        for call_ in ordered:
            label = work.names.fresh("item")
            before += self.next_item(call_, gast.Name(label, gast.Store(), None, None), statement)
            self.expressions[id(call_)] = located_at(name(label), call_)
        if not test:
            self.statements[id(statement)] = [*before, statement]
            return
        end = gast.If(gast.UnaryOp(gast.Not(), statement.test), [gast.Break()], [])
        body = [*before, located_at(end, statement.test), *statement.body]
        self.statements[id(statement)] = [gast.copy_location(gast.While(
            located_at(constant(True), statement.test), body, []), statement)]

    def next_item(self, asked: Any, target: Any, statement: Any) -> list:
        """``target = next(it)`` or ``target = next(it, default)``."""
        if len(asked.args) == 2:
            if not isinstance(asked.args[1], (gast.Constant, gast.Name)):
                raise _NotFollowed
            default = gast.Assign([copy.deepcopy(target)], asked.args[1], None)
            return [located_at(gast.If(self.there(), self.taken(target, asked), [default]), statement)]
        missing = gast.UnaryOp(gast.Not(), self.there())
        nothing = gast.If(missing, [gast.Raise(name("StopIteration"), None)], [])
        return [located_at(nothing, asked), *self.taken(target, asked)]


def assigned(label: str, value: Any, like: Any) -> Any:
    return located_at(gast.Assign([gast.Name(label, gast.Store(), None, None)], value, None), like)


def own_expression(statement: Any) -> Any:
    """The expression of a statement that is evaluated before all else in it."""
    if isinstance(statement, gast.AugAssign) and not isinstance(statement.target, gast.Name):
        return None
    return statement.test if isinstance(statement, gast.If) else getattr(statement, "value", None) if isinstance(
        statement, SIMPLE) else None


def replace_in(tree: Any, expressions: dict[int, Any], statements: dict[int, list]) -> None:
    """Put other expressions and statements in the place of some."""

    def changed(part: Any) -> Any:
        if isinstance(part, list):
            return [new for item in part for new in changed_item(item)]
        if id(part) in expressions:
            return expressions[id(part)]
        if isinstance(part, gast.AST):
            for field, value in gast.iter_fields(part):
                setattr(part, field, changed(value))
        return part

    def changed_item(item: Any) -> list:
        return changed(statements.pop(id(item))) if id(item) in statements else [changed(item)]

    tree.body = changed(tree.body)
