"""Draws the figures that `make bench` has written down.

Usage: python3 benches/plot.py FIGURES FOLDER

FIGURES has a line of JSON for each row of the table (benches/support/table.rs). A plot whose rows are not there is left
out, with a word. The same figures give the same files, byte for byte. Text stays text, and whatever is black takes the
colour of the reader's theme.
"""

import json
import math
import re
import sys
from pathlib import Path
from statistics import fmean as mean

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402 (the backend comes first)

INK = "#1f2328"
STYLE = "<style>svg{color:#1f2328}@media(prefers-color-scheme:dark){svg{color:#e6edf3}}</style>"
# Neither too dark for a dark page nor too light for a light one.
COLOURS = ["#3b82f6", "#e0803a", "#2f9e63", "#a06bd6"]

plt.rcParams.update({
    "svg.fonttype": "none",
    "svg.hashsalt": "arbiter",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "legend.frameon": False,
    "grid.alpha": 0.2,
    "axes.grid": True,
    "axes.axisbelow": True,
    **dict.fromkeys(
        ["text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color", "grid.color"], INK),
})

PLAIN = matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:,.10g}")

# Each panel: its title, what it grows with, its unit, whether it is memory, and its curves by part of the table.
PANELS = [
    ("The rules alone", "squares of the board", "ns", False, {
        "Growth of a move of Connect Four with the board": "Connect Four, move",
        "Growth of the list of moves of Queen and rooks with the board": "Queen and rooks, list",
        "Growth of a move of Queen and rooks with the board": "Queen and rooks, move",
    }),
    ("A call", "squares of the board", "µs of CPU time", False, {
        "Growth of a call of Connect Four with the board": "Connect Four",
        "Growth of a call of Queen and rooks with the board": "Queen and rooks",
    }),
    ("An item", "items of a batch, or open streams", "µs of CPU time", False, {
        "Growth of an item with the batch": "of a batch",
        "Growth of an item with the streams": "of streams",
    }),
    ("A call beside idle connections", "idle connections", "µs of CPU time", False, {
        "Growth of a call with idle connections": "ApplyMove",
    }),
    ("Memory of streams", "open streams", "MB resident", True, {
        "Growth of memory with open streams": "Evaluate",
    }),
    ("Memory of connections", "open connections", "MB resident", True, {
        "Growth of memory with idle connections": "idle",
        "Growth of memory with connections after a call": "after a call",
    }),
]

CALLS = "A call"
LIBRARIES = "Connect Four beside other libraries"
SERVICES = "Calls beside other services"
AGAINST = " against no-op"


def main(figures, folder):
    rows = {}
    for line in Path(figures).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        # Of a row that was measured again, the last counts.
        rows.setdefault(row["part"], {})[row["what"]] = row
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in [("growth", growth), ("calls", calls), ("services", services), ("libraries", libraries)]:
        figure = draw(rows)
        if figure is None:
            print(f"{name}.svg: left out, its figures are not in the file")
            continue
        save(figure, folder / f"{name}.svg")
        print(folder / f"{name}.svg")


def save(figure, path):
    figure.savefig(path, transparent=True, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    svg = path.read_text(encoding="utf-8").replace(INK, "currentColor")
    svg = re.sub(r"(<svg [^>]*>)", lambda root: root[0] + STYLE, svg, count=1)
    path.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", encoding="utf-8")


def growth(rows):
    if not any(part in rows for *_, parts in PANELS for part in parts):
        return None
    figure, axes = plt.subplots(2, 3, figsize=(11, 6.4), layout="constrained")
    for axis, (title, grows_with, unit, memory, parts) in zip(axes.flat, PANELS, strict=True):
        axis.set(title=title, xlabel=grows_with, ylabel=unit)
        if not memory:
            axis.set(xscale="log", yscale="log")
        for colour, (part, label) in zip(COLOURS, parts.items(), strict=False):
            if part not in rows:
                print(f"growth.svg: without '{part}', which is not in the file")
                continue
            curve(axis, rows[part], label, colour, memory)
        plain_numbers(axis, memory)
        if axis.get_legend_handles_labels()[0]:
            below(axis)
    return figure


def below(axis):
    """The legend where it hides nothing."""
    axis.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.18))


def curve(axis, rows, label, colour, memory):
    points = [(int(match[1]), row) for what, row in rows.items() if (match := re.match(r"(\d+) ", what))]
    # Zero has no place on a scale of logarithms.
    points = [(size, row) for size, row in points if memory or size > 0]
    sizes = [size for size, _ in points]
    medians = [row["median"] for _, row in points]
    spread = [[row["median"] - row["lowest"] for _, row in points],
              [row["highest"] - row["median"] for _, row in points]]
    exponent, straight = rows["fitted exponent"]["median"], rows["R² of it"]["median"]
    # Adding 0 turns -0 into 0.
    fitted = f"size^{round(exponent, 2) + 0:.2f}, R² {straight:.2f}"
    if memory:
        fitted = f"{rows['each']['median']:.1f} KB each; {fitted}"
    axis.errorbar(sizes, medians, yerr=spread, fmt="o", markersize=4, elinewidth=1, color=colour,
                  label=f"{label}: {fitted}")
    # Through the middle of the points, as least squares has it.
    if memory:
        slope = rows["each"]["median"] / 1024
        line = [mean(medians) + slope * (size - mean(sizes)) for size in sizes]
    else:
        middle_x, middle_y = mean(map(math.log, sizes)), mean(map(math.log, medians))
        line = [math.exp(middle_y + exponent * (math.log(size) - middle_x)) for size in sizes]
    axis.plot(sizes, line, "--", linewidth=1, color=colour)


def plain_numbers(axis, memory):
    """1,000 rather than 10³."""
    axis.xaxis.set_major_formatter(PLAIN)
    axis.yaxis.set_major_formatter(PLAIN)
    if memory:
        axis.set_ylim(bottom=0)
        return
    low, high = axis.get_ylim()
    if high / low < 20:
        # Less than a few decades: the ticks between are worth their numbers.
        axis.set_ylim(low / 1.6, high * 1.6)
        axis.yaxis.set_minor_formatter(matplotlib.ticker.LogFormatter(minor_thresholds=(2, 1)))
    axis.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())


def calls(rows):
    """CPU time of each call, and of the call that does nothing."""
    part = rows.get(CALLS, {})
    ours = [
        (call, part[call]["median"], row["median"])
        for what, row in part.items() if (call := what.removesuffix(AGAINST)) != what
    ]
    if not ours:
        return None
    figure, axis = plt.subplots(figsize=(9, 1.2 + 0.21 * len(ours)), layout="constrained")
    names = [name for name, _, _ in ours]
    axis.barh(names, [cost for _, cost, _ in ours], color=COLOURS[0], label="the call")
    axis.scatter([cost / ratio for _, cost, ratio in ours], names, marker="|", s=60, color=COLOURS[1], zorder=3,
                 label="one that does nothing, with messages of the same sizes")
    axis.set_xlabel("µs of CPU time")
    axis.set_title("A call against one that does nothing", loc="left")
    axis.legend(fontsize=8, loc="lower right")
    axis.set_ylim(-0.6, len(ours) - 0.4)
    bars(axis)
    return figure


def services(rows):
    costs = [
        (what.removesuffix(": CPU"), row) for what, row in rows.get(SERVICES, {}).items() if row["unit"].startswith("µs")
    ]
    if not costs:
        return None
    figure, axis = plt.subplots(figsize=(9, 1.4 + 0.3 * len(costs)), layout="constrained")
    spread_bars(axis, costs)
    axis.set_xlabel("µs of CPU time a decision (scale of logarithms)")
    axis.set_title(SERVICES, loc="left")
    return figure


def libraries(rows):
    if LIBRARIES not in rows:
        return None
    # Ratios and the like stand in the table too: only what is a rate is drawn.
    rates = [(what, row) for what, row in rows[LIBRARIES].items() if "/s" in row["unit"]]
    if not rates:
        return None
    figure, axis = plt.subplots(figsize=(9, 1.4 + 0.3 * len(rates)), layout="constrained")
    spread_bars(axis, rates)
    units = sorted({row["unit"] for _, row in rates})
    axis.set_xlabel(f"random moves, {' and '.join(units)} (scale of logarithms)")
    axis.set_title(LIBRARIES, loc="left")
    return figure


def spread_bars(axis, rows):
    names = [what for what, _ in rows]
    medians = [row["median"] for _, row in rows]
    spread = [[row["median"] - row["lowest"] for _, row in rows], [row["highest"] - row["median"] for _, row in rows]]
    colours = [COLOURS[0] if "arbiter" in name.lower() else COLOURS[1] for name in names]
    axis.barh(names, medians, xerr=spread, color=colours, ecolor=INK, error_kw={"elinewidth": 1})
    # From a power of ten below them all: a bar has no beginning on this scale.
    axis.set(xscale="log", xlim=(10 ** math.floor(math.log10(min(medians)) - 0.3), None))
    axis.xaxis.set_major_formatter(PLAIN)
    axis.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    bars(axis)


def bars(axis):
    axis.invert_yaxis()
    axis.grid(visible=False, axis="y")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
