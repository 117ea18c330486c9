// Random Connect Four moves per second with boardgame.io. Plays one round per line of input and prints its figure.
//
// Uses only the reducer, like its server. The client is slower, since it keeps a log and notifies listeners. The board is a
// string, because nested values are slower. Undo is disabled.

const readline = require("node:readline");
const { CreateGameReducer, InitializeGame } = require("boardgame.io/internal");
const { INVALID_MOVE } = require("boardgame.io/core");

const COLUMNS = 7;
const ROWS = 6;
const DIRECTIONS = [[0, 1], [1, 0], [1, 1], [1, -1]];

function height(cells, column) {
  let row = 0;
  while (row < ROWS && cells[row * COLUMNS + column] !== ".") row += 1;
  return row;
}

function hasFour(cells, row, column) {
  const token = cells[row * COLUMNS + column];
  return DIRECTIONS.some(([down, right]) => {
    let count = 1;
    for (const sign of [1, -1]) {
      let [r, c] = [row + sign * down, column + sign * right];
      while (r >= 0 && r < ROWS && c >= 0 && c < COLUMNS && cells[r * COLUMNS + c] === token) {
        count += 1;
        r += sign * down;
        c += sign * right;
      }
    }
    return count >= 4;
  });
}

const game = {
  name: "connect-four",
  disableUndo: true,
  setup: () => ({ cells: ".".repeat(ROWS * COLUMNS), won: false }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    drop: ({ G, playerID }, column) => {
      const { cells } = G;
      const row = height(cells, column);
      if (row === ROWS) return INVALID_MOVE;
      const at = row * COLUMNS + column;
      const next = cells.slice(0, at) + playerID + cells.slice(at + 1);
      return { cells: next, won: hasFour(next, row, column) };
    },
  },
  endIf: ({ G, ctx }) => {
    if (G.won) return { winner: ctx.currentPlayer };
    return G.cells.includes(".") ? undefined : { draw: true };
  },
};

const reduce = CreateGameReducer({ game });
const start = InitializeGame({ game, numPlayers: 2 });

/** Plays a game and returns its number of moves. */
function play() {
  let state = start;
  let moves = 0;
  while (state.ctx.gameover === undefined) {
    const { cells } = state.G;
    const legal = [];
    for (let column = 0; column < COLUMNS; column += 1) {
      if (cells[(ROWS - 1) * COLUMNS + column] === ".") legal.push(column);
    }
    const column = legal[Math.floor(Math.random() * legal.length)];
    const payload = { type: "drop", args: [column], playerID: state.ctx.currentPlayer };
    const next = reduce(state, { type: "MAKE_MOVE", payload });
    if (next.G === state.G) throw new Error("a legal move was rejected");
    state = next;
    moves += 1;
  }
  return moves;
}

function round() {
  const startTime = performance.now();
  let moves = 0;
  while (performance.now() - startTime < 1000) moves += play();
  return moves / ((performance.now() - startTime) / 1000);
}

readline.createInterface({ input: process.stdin }).on("line", () => console.log(round()));
