"""A backward pass as a picture: Graphviz's language, SVG, and a page of HTML, of text alone."""
from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

WIDTH, HEIGHT, ACROSS, DOWN = 230, 54, 26, 40
STYLE = """text { font: 12px sans-serif; fill: #222 } .line { font: 10px monospace; fill: #555 }
.node { fill: #eef3fb; stroke: #4a6fa5 } .leaf { fill: #eaf6ea; stroke: #4c8a4c }
.compiled { fill: #fdf1e3; stroke: #b5762d }
.edge { stroke: #888; fill: none; marker-end: url(#arrow) }"""


def as_dot(steps: Sequence[Any]) -> str:
    lines = ["digraph backward {", "    node [shape=box, fontname=Helvetica];"]
    for number, step in enumerate(steps):
        label = "\\n".join(part.replace("\\", "\\\\").replace('"', '\\"') for part in told(step))
        lines.append(f'    n{number} [label="{label}"];')
        lines += [f"    n{number} -> n{target};" for target in step.next]
    return "\n".join([*lines, "}", ""])


def told(step: Any) -> list[str]:
    """What a box says: the node, the line that made it, what it keeps."""
    kept = "freed" if step.freed else f"saved {step.bytes} bytes" if step.saved else ""
    return [part for part in (step.name, step.place, step.path, kept) if part]


def layers(steps: Sequence[Any]) -> list[list[int]]:
    """The numbers of the steps by how many lie on the longest way to them: a step's own number is higher than those of
    all that lead to it, but for leaves, which come last anyway."""
    depth = [0] * len(steps)
    for number, step in enumerate(steps):
        for target in step.next:
            depth[target] = max(depth[target], depth[number] + 1)
    found: list[list[int]] = [[] for _ in range(max(depth, default=0) + 1)]
    for number, level in enumerate(depth):
        found[level].append(number)
    return found


def shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length - 1] + "\u2026"


def as_svg(steps: Sequence[Any]) -> str:
    rows = layers(steps)
    wide = max(map(len, rows)) * (WIDTH + ACROSS) + ACROSS
    high = len(rows) * (HEIGHT + DOWN) + DOWN
    corners = {}
    for level, row in enumerate(rows):
        start = (wide - len(row) * (WIDTH + ACROSS) + ACROSS) / 2
        for place, number in enumerate(row):
            corners[number] = start + place * (WIDTH + ACROSS), DOWN / 2 + level * (HEIGHT + DOWN)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}" height="{high:g}" '
             f'viewBox="0 0 {wide:g} {high:g}">', f"<style>{STYLE}</style>",
             '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
             'orient="auto"><path d="M0 0L8 4L0 8z" fill="#888"/></marker></defs>']
    for number, step in enumerate(steps):
        x, y = corners[number]
        for target in step.next:
            to, below = corners[target]
            x1, y1, x2, y2 = x + WIDTH / 2, y + HEIGHT, to + WIDTH / 2, below
            lines.append(f'<path class="edge" d="M{x1:g} {y1:g}C{x1:g} {y1 + DOWN / 2:g} {x2:g} {y2 - DOWN / 2:g} '
                         f'{x2:g} {y2:g}"/>')
    for number, step in enumerate(steps):
        x, y = corners[number]
        kind = "leaf" if not step.filename else "compiled" if step.compiled else "node"
        head, *rest = told(step)
        lines.append(f'<g><title>{escape(chr(10).join(told(step)))}</title>'
                     f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
                     f'<text x="{x + 8:g}" y="{y + 17:g}">{number}: {escape(shortened(head, 30))}</text>')
        for place, part in enumerate(rest[:1] + rest[1:][-1:]):
            lines.append(f'<text class="line" x="{x + 8:g}" y="{y + 32 + 14 * place:g}">'
                         f'{escape(shortened(part, 35))}</text>')
        lines.append("</g>")
    return "\n".join([*lines, "</svg>", ""])


def as_html(steps: Any) -> str:
    rows = "".join(
        f"<tr><td>{number}</td><td>{escape(step.name)}</td><td>{' '.join(map(str, step.next))}</td>"
        f"<td>{step.bytes}</td><td>{escape(', '.join(item.name for item in step.saved))}</td>"
        f"<td><code>{escape(step.place)}</code></td></tr>\n" for number, step in enumerate(steps))
    return ("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>backward pass</title>\n"
            "<style>body { font: 14px sans-serif } table { border-collapse: collapse } "
            "td, th { padding: 2px 10px; text-align: left; border-bottom: 1px solid #ddd }</style></head>\n<body>\n"
            f"{as_svg(steps)}<table><tr><th>step</th><th>node</th><th>next</th><th>bytes</th><th>saved</th>"
            f"<th>made by</th></tr>\n{rows}</table>\n<p>{steps.bytes} bytes besides the leaves</p>\n</body></html>\n")
