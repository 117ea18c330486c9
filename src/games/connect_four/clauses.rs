use crate::Clause;

/// The rules of the game, clause by clause.
pub(super) const CLAUSES: &[Clause] = &[
    Clause {
        id: "C4-1",
        title: "Board",
        text: "7 columns by 6 rows and four in a line by default; columns, rows and the length are part of \
               the rule set, with columns × (rows + 1) at most 128 and the length from 2 up to the longer \
               side. Player one starts unless the rule set says otherwise.",
    },
    Clause {
        id: "C4-2",
        title: "Move",
        text: "A move is a column. A column that is out of range, a full column and a game that is already \
               over are refused, each with its own reason. The token falls to the lowest free row; the \
               response says where.",
    },
    Clause {
        id: "C4-3",
        title: "Win",
        text: "A line of at least the length through the last token, in four directions, in this order: \
               horizontal, vertical, diagonal down (top left to bottom right), diagonal up. The response \
               lists every direction that won, in that order, each with its whole run of cells from left to \
               right (top to bottom for vertical).",
    },
    Clause { id: "C4-4", title: "Draw", text: "The board is full and nobody has a line." },
    Clause { id: "C4-5", title: "Legal columns", text: "They are listed in ascending order." },
    Clause {
        id: "C4-6",
        title: "Text",
        text: "One row per line: `|`, then ` `, `X` (player one) or `O` (player two) and `|` for each \
               column; and a bar of `-`, twice the columns plus one. `RenderState` adds the numbers of the \
               columns and whose turn it is below.",
    },
];
