"""Parts of expressions that generated code has in other words, ``functions[choose()](x)`` as a call of the function by
its name and ``getattr(model, choose())`` as an attribute: what they do besides comes before."""
from __future__ import annotations

import gast

from s2sgrad.compiler.evaluate import Evaluator
from s2sgrad.compiler.evaluation import NeedsName
from s2sgrad.compiler.nodes import walk
from s2sgrad.compiler.running_again import gives_the_same, is_of_the_user, runs_alike


class Acting(Evaluator):
    def name_acting(self, node: gast.AST) -> None:
        """Raises NeedsName for such an expression where a function of the user's that it calls does something."""
        if self.passive_context or isinstance(node, (gast.Name, gast.Lambda)):
            return
        if any(map(self.acts, walk(node))):
            raise NeedsName(node, self.refusal("what this calls does something besides", "give it a name before", node))

    def acts(self, node: gast.AST) -> bool:
        whole = self.facts.spelled_out(node)  # of properties and methods the calls that they are
        if not isinstance(whole, gast.Call):
            return False
        called = self.facts.callee_of(whole) or self.facts.call_of(whole)
        if called is not None:
            return runs_alike(called.derivative) is not None
        return is_of_the_user(self.facts.values.get(id(whole.func))) and not gives_the_same(
            whole, self.facts, set(), frozenset())
