"""Which of the user's lines the lines of generated code come from, for what is said of errors in it."""
from __future__ import annotations

import sys
import types
import weakref

from s2sgrad.compiler.emit import Text
from s2sgrad.errors import GENERATED, PACKAGE, Location, S2SGradError

_texts: dict[str, Text] = {}
"""By its file name the text of each generated function that there is."""


def note_origins(text: Text, function: types.FunctionType) -> None:
    """Remember where the lines of a generated function come from, as long as it is there."""
    code = function.__code__
    text.filename = code.co_filename
    _texts[text.filename] = text
    weakref.finalize(code, _texts.pop, text.filename, None).atexit = False


def is_generated(place: Location | None) -> bool:
    """Whether a place is in the text of a generated function."""
    return place is not None and place.filename in _texts


def behind(place: Location) -> Location:
    """The place in the text of a function that a place in what was generated of it comes from."""
    text = _texts[place.filename]
    origin = text.origins[place.line - 1]
    return text.whole if origin is None else origin


def explain(error: BaseException, doing: str = "reversing") -> None:
    """Add to an exception of generated code the user's own lines, the first and the last of those that it went through
    (shown with the traceback from 3.11 on). A refusal that knows no place is of the last."""
    places: list[Location] = []
    trace = error.__traceback__
    while trace is not None:
        place = Location(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
        if not is_generated(place) or _texts[place.filename].origins[place.line - 1] is None:
            continue
        while is_generated(place):
            place = behind(place)
        if not place.filename.startswith((PACKAGE, GENERATED)):  # no text of ours
            places[1:] = [place]
    if places and isinstance(error, S2SGradError) and error.location is None:
        error.location = places.pop()
    if sys.version_info >= (3, 11):
        for place in places:
            note = f"while {doing} {place.filename}:{place.line}: {place.text()}"
            if note not in getattr(error, "__notes__", ()):
                error.add_note(note)
