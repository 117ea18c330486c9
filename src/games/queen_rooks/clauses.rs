use crate::Clause;

/// The rules of the game, clause by clause.
pub(super) const CLAUSES: &[Clause] = &[
    Clause {
        id: "QR-1",
        title: "Board",
        text: "The board is n×n, n even, from 4 to 26; 8 by default. Odd n is invalid: n²/4 pieces cannot \
               form a square. n = 2 is invalid: both players would have lost.",
    },
    Clause {
        id: "QR-2",
        title: "Setup",
        text: "Each player has n²/4 pieces: one queen and the rest rooks, filling an (n/2)×(n/2) square. \
               Player one (blue rooks, pink queen) is at the bottom left, player two (red rooks, orange \
               queen) at the top right; each queen stands on the board's own corner. Player one starts.",
    },
    Clause {
        id: "QR-3",
        title: "Moves",
        text: "A rook moves any number of squares along a row or a column, a queen also along a diagonal. \
               All squares passed and the destination must be empty. A move is at least one square.",
    },
    Clause {
        id: "QR-4",
        title: "Captures",
        text: "Only a rook's move captures, never a queen's. If the rook's destination shares neither row \
               nor column with its own queen, each of the two other corners of their rectangle that holds \
               an opposing rook loses it. Zero, one or two captures, automatic. What stands inside the \
               rectangle or on its sides does not matter. Queens are never captured.",
    },
    Clause {
        id: "QR-5",
        title: "End",
        text: "A player with two pieces or fewer, queen included, loses immediately.",
    },
    Clause {
        id: "QR-6",
        title: "Blocked player",
        text: "A player with no legal move passes: the other player moves again, and the response says so. \
               If neither player can move, the game is a draw.",
    },
    Clause {
        id: "QR-7",
        title: "Endless play",
        text: "With the rule `quiet_move_limit`, the game is a draw after that many moves in a row without \
               a capture; 0, the default, means no limit.",
    },
];
