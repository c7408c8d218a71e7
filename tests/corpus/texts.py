"""Texts and their letters: as keys, as indices, and as what chooses a function."""
from __future__ import annotations

import functools
from collections import defaultdict

import numpy as np

from corpus.registry import normal, positive, program

ORDER = "abcd"
VOCABULARY = {"sun": 0, "moon": 1, "star": 2}


@program(lambda: (positive(1, 4, 4), "abacdbca"))
def pairs_of_letters(table, text):
    counts = defaultdict(float)
    for first, second in zip(text, text[1:]):
        counts[first, second] += table[ORDER.index(first), ORDER.index(second)]
    return -sum(np.log(value) for value in counts.values())


@program(lambda: (normal(1, 3), "abca"))
def letters_of_a_text(x, text):
    sums = defaultdict(float)
    for letter in text:
        sums[letter] += x[ord(letter) - ord("a")]
    return sum(value ** 2 for value in sums.values())


@program(lambda: (normal(1, 3), "abcab"))
def letters_by_number(x, text):
    sums = {}
    for i in range(len(text) - 1):
        sums[text[i] + text[i + 1]] = sums.get(text[i] + text[i + 1], 1.0) * x[i % 3]
    return sum(sums.values())


@program(lambda: (normal(1, 6), "a B cc Ba"))
def words_in_lower_case(x, text):
    sums = defaultdict(float)
    for word in text.split():
        sums[word.lower()] += x[len(word)]
        for letter in word.upper():
            sums[letter] -= x[0] * x[len(word)]
    return sum(value ** 2 for value in sums.values())


@program(lambda: (normal(1, 3), ["a = 1", "b = 2", "a = 3"]), needs="shapes")
def lines_of_settings(x, lines):
    settings = defaultdict(float)
    for line in lines:
        label, value = line.split("=")
        settings[label.strip()] += x[0] * float(value)
    return sum(value ** 3 for value in settings.values())


@program(lambda: (normal(1, 3), ["u", "V", "U"]))
def a_key_that_is_noted(x, words):
    seen, sums = [], defaultdict(float)

    def plain(word):
        seen.append(word)
        return word.lower()

    for word in words:
        sums[plain(word)] += x[len(word) % 3]
    return sum(value ** 2 for value in sums.values()) * len(seen)


@program(lambda: (normal(1, 3), 4))
def keys_put_together(x, n):
    sums = defaultdict(float)
    for i in range(n):
        sums["layer" + str(i % 2)] += x[i % 3]
        sums["%s-%d" % ("bias", i % 3)] += x[0] * x[i % 3]  # noqa: UP031
        sums[f"{i % 2}_{i % 3}"] -= x[1]
    return sum(value ** 2 for value in sums.values())


@program(lambda: (normal(1, 3), "abca"))
def changes_of_state(x, text):
    counts = {a: {b: 0.1 for b in "abc"} for a in "abc"}
    for first, second in zip(text, text[1:]):
        counts[first][second] += x["abc".find(first)]
    return sum(value ** 2 for row in counts.values() for value in row.values())


@program(lambda: (normal(1, 3), "abcb"))
def arrays_by_letter(x, text):
    sums = defaultdict(lambda: np.zeros(2))
    for first, second in zip(text[:-1], text[1:]):
        sums[first] += x[ord(second) - 97] * np.array([1.0, 2.0])
    return sum((value ** 2).sum() for value in sums.values())


@program(lambda: (normal(1, 3, 2), ["star", "sun", "star"]))
def words_embedded(x, words):
    names = list(VOCABULARY)
    same = [names.index(word) for word in words]
    places = [VOCABULARY[word] for word in words]
    return (x[places] ** 2).sum() + x[same].prod()


@program(lambda: (normal(1, 4), [("G", 0.5), ("T", 2.0)]))
def letters_weighed(x, weights):
    scores = {"A": x[0], "C": x[1], "G": x[2], "T": x[0] * x[3]}
    total = 1.0
    for letter in reversed("GATTACA"):
        total += scores[letter] ** 2
    for letter, weight in weights:
        total *= scores[letter.upper()] + weight
    return total


def turned(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    return {
        "x": lambda: np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]),
        "y": lambda: np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]),
        "z": lambda: np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]),
    }[axis]()


@program(lambda: (normal(1, 4), "zyyx"))
def arm_of_joints(angles, axes):
    place = np.eye(3)
    for axis, angle in zip(axes, angles):
        place = place @ turned(axis, angle)
    return place[0, 2] ** 2 + place[1, 0]


@program(lambda: (normal(1, 3), "aba"))
def chosen_at_once(x, text):
    for letter, weight in zip(text, [1.0, 2.0, 0.5]):
        x = {"a": lambda v: np.sin(v) * weight, "b": functools.partial(np.multiply, weight)}[letter](x)  # noqa: B023
    return x.sum()


@program(lambda: (normal(3, 4),))
def arrays_under_letters_by_number(x):
    found = {}
    for k, v in enumerate(x):
        found["ab"[k % 2]] = np.sin(x) * v
    return np.sum(found["a"] * found["b"])


def layers():
    return {"w0": normal(1, 3, 2), "b0": normal(2, 2), "w1": normal(3, 2, 4), "b1": normal(4, 4)}


@program(lambda: (layers(), normal(2, 5, 3)))
def layers_by_number(params, x):
    for i in range(len(params) // 2):
        x = np.tanh(x @ params[f"w{i}"] + params["b" + str(i)])
    return np.sum(x ** 2)


@program(lambda: (layers(), normal(2, 5, 3), 2))
def layers_by_a_number_that_is_given(params, x, depth):
    for i in range(depth):
        key = "w%d" % i  # noqa: UP031
        z = x @ params[key] + params["b{}".format(i)]  # noqa: UP032
        x = np.maximum(z, 0.1 * z) if i < depth - 1 else z
    return np.mean(x ** 2)


@program(lambda: ({**layers(), "scale": 0.7},))
def decay_of_weights_alone(params):
    total = 0.0
    for label, value in params.items():
        if label in {"scale"}:
            continue
        kind, *number = label
        if kind == "w" and number[0].isdigit() and not label.endswith("9"):
            total += params["scale"] * np.sum(value ** 2)
        elif label.startswith("b") and "scale" in params:
            total += np.sum(np.abs(value))
    return total


@program(lambda: ({"conv_w": normal(1, 3), "conv_b": 0.3, "head_w": normal(2, 2, 3)}, normal(3, 3)))
def parts_of_names(params, x):
    grouped = {}
    for label in sorted(params):
        layer, kind = label.split("_")
        grouped.setdefault(layer, {})[kind] = params[label]
    hidden = np.tanh(x * grouped["conv"]["w"] + grouped["conv"].get("b", 0.0))
    return np.sum((grouped["head"]["w"] @ hidden + grouped["head"].get("b", 1.0)) ** 2)


@program(lambda: (normal(1, 3), "a_b"))
def words_that_change(x, text):
    words = text.split("_")
    words.append("c")
    words[0] = "c"
    return words.count("c") * x[0] * x[1] + (x[2] ** 2 if words.pop() in words else 0.0)


@program(lambda: (normal(1, 3),))
def what_is_mapped_to_texts_and_whole_numbers(x):
    told = " ".join(map("{:.1f}".format, x))
    first, *_ = map(int, 3.0 * x)
    return len(told) * x[0] + first * x[1] + len(set(map(bool, x))) * x[2]
