"""Whether operations are recorded: context managers that are decorators too, for each thread on its own."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from s2sgrad.shim.state import state


class _Mode:
    """A context manager that sets what is recorded, and a decorator that does so for each call."""

    wanted = False
    before: bool

    def __new__(cls, function: Callable | None = None) -> Any:
        made = super().__new__(cls)
        return made if function is None else cls._decorated(made, function)

    def _decorated(self, function: Callable) -> Callable:
        if inspect.isclass(function):
            raise TypeError("Decorating classes is not supported: decorate the methods")
        return _in_turns(self._again, function) if inspect.isgeneratorfunction(function) else _during(
            self._again, function)

    def _again(self) -> _Mode:
        """Another manager of the same kind: each call of a decorated function has one of its own."""
        return type(self)()

    def __call__(self, function: Callable) -> Callable:
        return self._decorated(function)

    def __enter__(self) -> None:
        self.before = state.now.recording
        state.now.recording = self.wanted

    def __exit__(self, *exception: Any) -> None:
        state.now.recording = self.before


def _during(manager: Callable, function: Callable) -> Callable:
    @functools.wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with manager():
            return function(*args, **kwargs)

    return decorated


def _in_turns(manager: Callable, function: Callable) -> Callable:
    """A generator function whose body runs in a mode, but not what runs between its turns."""
    @functools.wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        resume: Any = functools.partial(next, generator)
        while True:
            try:
                with manager():
                    item = resume()
            except StopIteration as stop:
                return stop.value
            try:
                sent = yield item
            except GeneratorExit:
                with manager():
                    generator.close()
                raise
            except BaseException as error:
                resume = functools.partial(generator.throw, error)
            else:
                resume = functools.partial(generator.send, sent)

    return decorated


class no_grad(_Mode):  # noqa: N801 - PyTorch's name
    """Context-manager that disables gradient calculation.

    In this mode the result of every operation has ``requires_grad=False``, even if its operands require a gradient.
    It is thread local: it does not affect operations in other threads. It also functions as a decorator, with
    parentheses or without, also of generator functions.
    """


class enable_grad(_Mode):  # noqa: N801
    """Context-manager that enables gradient calculation, inside ``no_grad`` or after ``set_grad_enabled(False)``.

    It is thread local, and also functions as a decorator.
    """

    wanted = True


class inference_mode(_Mode):  # noqa: N801
    """Like ``no_grad``; its results may be used everywhere."""

    mode: bool

    def __new__(cls, mode: Any = True) -> Any:
        if callable(mode):
            return super().__new__(cls, mode)
        made = object.__new__(cls)
        made.wanted = not mode and state.now.recording
        made.mode = mode
        return made

    def _again(self) -> _Mode:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        super().__enter__()
        self.outside, state.now.inference = state.now.inference, self.mode

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)
        state.now.inference = self.outside


class set_grad_enabled(_Mode):  # noqa: N801
    """Sets gradient calculation on or off: at once as a function, for its block as a context manager.

    It is thread local, and also functions as a decorator.
    """

    def __new__(cls, mode: bool) -> Any:
        made = object.__new__(cls)
        made.wanted = bool(mode)
        made.before = state.now.recording
        state.now.recording = made.wanted
        return made

    def _again(self) -> _Mode:
        return type(self)(self.wanted)

    def __call__(self, function: Callable) -> Callable:
        state.now.recording = self.before
        return super().__call__(function)

    def __enter__(self) -> None:
        state.now.recording = self.wanted

    def __repr__(self) -> str:
        return f"{type(self).__module__}.{type(self).__qualname__}(mode={self.wanted})"


def is_grad_enabled() -> bool:
    return state.now.recording


def is_inference_mode_enabled() -> bool:
    return state.now.inference
