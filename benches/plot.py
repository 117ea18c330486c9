"""Plots the results of `make bench`.

Usage: python3 benches/plot.py FIGURES FOLDER

FIGURES has a line of JSON for each row of the table (benches/support/table.rs). A plot without rows is skipped with a
message. The same figures produce identical files. Text stays text, and black elements take the text color of the
reader's theme.
"""

import json
import math
import re
import sys
from pathlib import Path
from statistics import fmean as mean

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402 (the backend must be set first)

INK = "#1f2328"
STYLE = "<style>svg{color:#1f2328}@media(prefers-color-scheme:dark){svg{color:#e6edf3}}</style>"
# Readable on dark and light pages.
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

# Each panel: title, label of the x axis, unit, whether it is memory, and its curves by part of the table.
PANELS = [
    ("The rules alone", "squares of the board", "ns", False, {
        "Scaling: Connect Four move by board size": "Connect Four, move",
        "Scaling: Queen and rooks move list by board size": "Queen and rooks, move list",
        "Scaling: Queen and rooks move by board size": "Queen and rooks, move",
    }),
    ("Unary call", "squares of the board", "µs of CPU time", False, {
        "Scaling: Connect Four call by board size": "Connect Four",
        "Scaling: Queen and rooks call by board size": "Queen and rooks",
    }),
    ("Item of a batch or a stream", "items of the batch, or open streams", "µs of CPU time", False, {
        "Scaling: item by batch size": "batch",
        "Scaling: item by number of streams": "streams",
    }),
    ("Call with idle connections", "idle connections", "µs of CPU time", False, {
        "Scaling: call by idle connections": "ApplyMove",
    }),
    ("Memory of streams", "open streams", "MB resident", True, {
        "Scaling: memory by open streams": "Evaluate",
    }),
    ("Memory of connections", "open connections", "MB resident", True, {
        "Scaling: memory by idle connections": "idle",
        "Scaling: memory by connections after a call": "after a call",
    }),
]

CALLS = "Unary calls"
LIBRARIES = "Connect Four compared with other libraries"
SERVICES = "Calls compared with other services"
RATIO = " relative to no-op"


def main(figures, folder):
    rows = {}
    for line in Path(figures).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        # If a row occurs twice, the last one counts.
        rows.setdefault(row["part"], {})[row["what"]] = row
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in [("growth", growth), ("calls", calls), ("services", services), ("libraries", libraries)]:
        figure = draw(rows)
        if figure is None:
            print(f"{name}.svg: skipped, its figures are not in the file")
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
    for axis, (title, x_label, unit, memory, parts) in zip(axes.flat, PANELS, strict=True):
        axis.set(title=title, xlabel=x_label, ylabel=unit)
        if not memory:
            axis.set(xscale="log", yscale="log")
        for colour, (part, label) in zip(COLOURS, parts.items(), strict=False):
            if part not in rows:
                print(f"growth.svg: '{part}' is not in the file")
                continue
            curve(axis, rows[part], label, colour, memory)
        plain_numbers(axis, memory)
        if axis.get_legend_handles_labels()[0]:
            legend_below(axis)
    return figure


def legend_below(axis):
    """Puts the legend below the plot, where it hides nothing."""
    axis.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.18))


def curve(axis, rows, label, colour, memory):
    points = [(int(match[1]), row) for what, row in rows.items() if (match := re.match(r"(\d+) ", what))]
    # A log scale cannot show zero.
    points = [(size, row) for size, row in points if memory or size > 0]
    sizes = [size for size, _ in points]
    medians = [row["median"] for _, row in points]
    spread = [[row["median"] - row["lowest"] for _, row in points],
              [row["highest"] - row["median"] for _, row in points]]
    exponent, r_squared = rows["fitted exponent"]["median"], rows["R²"]["median"]
    # Adding 0 turns -0 into 0.
    fitted = f"size^{round(exponent, 2) + 0:.2f}, R² {r_squared:.2f}"
    if memory:
        fitted = f"{rows['each']['median']:.1f} KB each; {fitted}"
    axis.errorbar(sizes, medians, yerr=spread, fmt="o", markersize=4, elinewidth=1, color=colour,
                  label=f"{label}: {fitted}")
    # A least squares line goes through the mean of the points.
    if memory:
        slope = rows["each"]["median"] / 1024
        line = [mean(medians) + slope * (size - mean(sizes)) for size in sizes]
    else:
        mean_x, mean_y = mean(map(math.log, sizes)), mean(map(math.log, medians))
        line = [math.exp(mean_y + exponent * (math.log(size) - mean_x)) for size in sizes]
    axis.plot(sizes, line, "--", linewidth=1, color=colour)


def plain_numbers(axis, memory):
    """Shows 1,000 instead of 10³."""
    axis.xaxis.set_major_formatter(PLAIN)
    axis.yaxis.set_major_formatter(PLAIN)
    if memory:
        axis.set_ylim(bottom=0)
        return
    low, high = axis.get_ylim()
    if high / low < 20:
        # Few decades: label the minor ticks as well.
        axis.set_ylim(low / 1.6, high * 1.6)
        axis.yaxis.set_minor_formatter(matplotlib.ticker.LogFormatter(minor_thresholds=(2, 1)))
    axis.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())


def calls(rows):
    """CPU time of each call, and of the no-op."""
    part = rows.get(CALLS, {})
    costs = [
        (call, part[call]["median"], row["median"])
        for what, row in part.items() if (call := what.removesuffix(RATIO)) != what
    ]
    if not costs:
        return None
    figure, axis = plt.subplots(figsize=(9, 1.2 + 0.21 * len(costs)), layout="constrained")
    names = [name for name, _, _ in costs]
    axis.barh(names, [cost for _, cost, _ in costs], color=COLOURS[0], label="the call")
    axis.scatter([cost / ratio for _, cost, ratio in costs], names, marker="|", s=60, color=COLOURS[1], zorder=3,
                 label="no-op with messages of the same sizes")
    axis.set_xlabel("µs of CPU time")
    axis.set_title("Unary calls compared with a no-op", loc="left")
    axis.legend(fontsize=8, loc="lower right")
    axis.set_ylim(-0.6, len(costs) - 0.4)
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
    axis.set_xlabel("µs of CPU time per decision (log scale)")
    axis.set_title(SERVICES, loc="left")
    return figure


def libraries(rows):
    if LIBRARIES not in rows:
        return None
    # Plot only the rates.
    rates = [(what, row) for what, row in rows[LIBRARIES].items() if "/s" in row["unit"]]
    if not rates:
        return None
    figure, axis = plt.subplots(figsize=(9, 1.4 + 0.3 * len(rates)), layout="constrained")
    spread_bars(axis, rates)
    units = sorted({row["unit"] for _, row in rates})
    axis.set_xlabel(f"random moves, {' and '.join(units)} (log scale)")
    axis.set_title(LIBRARIES, loc="left")
    return figure


def spread_bars(axis, rows):
    names = [what for what, _ in rows]
    medians = [row["median"] for _, row in rows]
    spread = [[row["median"] - row["lowest"] for _, row in rows], [row["highest"] - row["median"] for _, row in rows]]
    colours = [COLOURS[0] if "arbiter" in name.lower() else COLOURS[1] for name in names]
    axis.barh(names, medians, xerr=spread, color=colours, ecolor=INK, error_kw={"elinewidth": 1})
    # Start at a power of ten below all values: a log scale has no zero.
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
