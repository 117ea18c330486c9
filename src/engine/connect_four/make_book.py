#!/usr/bin/env python3
"""Derive the opening book of Connect Four from the package bitbully-databases (MIT), a table of all positions with 12 tokens.

usage: make_book.py WHEEL OUTPUT [--plies N]      needs numpy

WHEEL is bitbully_databases-0.0.2-py3-none-any.whl, from `pip download --no-deps bitbully-databases==0.0.2`.
The scores of positions with fewer tokens follow from those of their successors. The format is described in book.rs.
"""

import argparse
import hashlib
import sys
import zipfile

import numpy as np

WHEEL_SHA256 = "42d4431d964dc37d58a8e776729b247ac3e2096c575f27b185ac013a45e26d74"
TABLE = "bitbully_databases/assets/book_12ply_distances.dat"
TABLE_PLIES = 12

COLUMNS, ROWS = 7, 6
STRIDE = ROWS + 1
GROUND = np.uint64(sum(1 << STRIDE * column for column in range(COLUMNS)))
COLUMN_MASK = np.uint64((1 << STRIDE) - 1)
CELLS = COLUMNS * ROWS
NO_CELLS = np.uint64(0)
CENTRE_FIRST = [3, 2, 4, 1, 5, 0, 6]

MAGIC = b"C4BOOK1\n"
SCORE_OFFSET = 17
SCORE_UNIT = 7


def shift(words, distance):
    """Words shifted to the left, or to the right by a negative distance."""
    return words << np.uint64(distance) if distance >= 0 else words >> np.uint64(-distance)


def has_line(cells):
    """Which of the sets of cells contain four in a line."""
    found = np.zeros(len(cells), dtype=bool)
    for step in (1, STRIDE - 1, STRIDE, STRIDE + 1):
        pairs = cells & shift(cells, -step)
        found |= (pairs & shift(pairs, -2 * step)) != NO_CELLS
    return found


def column_codes():
    """The code and its length for each content of a column: its mover's tokens, and a bit above all its tokens."""
    codes, lengths = np.zeros(1 << STRIDE, dtype=np.uint64), np.zeros(1 << STRIDE, dtype=np.uint64)
    for content in range(1, 1 << STRIDE):
        height = content.bit_length() - 1
        code = 0
        for row in range(height):
            code = code << 2 | (0b10 if content >> row & 1 else 0b11)
        codes[content], lengths[content] = code << 1, 2 * height + 1
    return codes, lengths


CODES, LENGTHS = column_codes()


def contents(mine, tokens):
    """The content of each column."""
    words = mine + tokens + GROUND
    return [shift(words, -STRIDE * column) & COLUMN_MASK for column in range(COLUMNS)]


def encode(columns):
    """The codes of positions."""
    code = np.zeros(len(columns[0]), dtype=np.uint64)
    for content in columns:
        code = code << LENGTHS[content] | CODES[content]
    return code


def canonical(mine, tokens):
    """The codes of positions or of their mirror images, whichever is smaller, and whether it is that of the mirror image."""
    columns = contents(mine, tokens)
    code, mirrored = encode(columns), encode(columns[::-1])
    return np.minimum(code, mirrored), mirrored < code


def mirror(cells):
    """The cells as a mirror shows them."""
    mirrored = np.zeros_like(cells)
    for column in range(COLUMNS):
        moved = shift(cells, -STRIDE * column) & COLUMN_MASK
        mirrored |= shift(moved, STRIDE * (COLUMNS - 1 - column))
    return mirrored


def after_moves(mine, tokens):
    """For each column: which positions allow a token in it, the token, and whether it wins."""
    for column in range(COLUMNS):
        token = (tokens + np.uint64(1 << STRIDE * column)) & ~tokens
        legal = (tokens & np.uint64(1 << STRIDE * column + ROWS - 1)) == NO_CELLS
        token = np.where(legal, token & shift(COLUMN_MASK, STRIDE * column), NO_CELLS)
        yield column, legal, token, legal & has_line(mine | token)


def next_level(mine, tokens):
    """All positions after a move, without those that are over. Of a position and its mirror image, one is included."""
    levels = []
    for _, legal, token, wins in after_moves(mine, tokens):
        chosen = legal & ~wins
        others, all_tokens = (tokens ^ mine)[chosen], (tokens | token)[chosen]
        code, mirrored = canonical(others, all_tokens)
        others = np.where(mirrored, mirror(others), others)
        all_tokens = np.where(mirrored, mirror(all_tokens), all_tokens)
        levels.append((code, others, all_tokens))
    code, mine, tokens = (np.concatenate(parts) for parts in zip(*levels))
    code, index = np.unique(code, return_index=True)
    return code, mine[index], tokens[index]


def read_table(wheel):
    """The codes and scores of positions with 12 tokens, sorted. Positions in which the mover wins at once are missing."""
    content = zipfile.ZipFile(wheel).read(TABLE)
    entries = np.frombuffer(content, dtype=np.uint8).reshape(-1, 5)
    # A code of 31 bits, and an unused one. The first player, to move after 12 tokens, has the bit 0 in both formats. The table
    # has either of a position and its mirror image, so both are searched.
    code = entries[:, :4].copy().view(">u4").ravel().astype(np.uint64) >> np.uint64(1)
    distance = entries[:, 4].view(np.int8).astype(np.int64)
    plies = 100 - np.abs(distance)
    free = CELLS - TABLE_PLIES
    wins, losses = (free + 2 - plies) // 2, -((free + 2 - plies) // 2)
    score = np.where(distance == 0, 0, np.where(distance > 0, wins, losses))
    order = np.argsort(code)
    return code[order], score[order]


def look_up(known_codes, known_scores, code):
    """The scores of codes, and which of them are known."""
    index = np.minimum(np.searchsorted(known_codes, code), len(known_codes) - 1)
    return known_scores[index], known_codes[index] == code


def table_scores(table, mine, tokens):
    """The scores of positions with 12 tokens."""
    columns = contents(mine, tokens)
    score, known = look_up(*table, encode(columns))
    mirrored_score, mirrored_known = look_up(*table, encode(columns[::-1]))
    can_win = np.zeros(len(mine), dtype=bool)
    for _, _, _, wins in after_moves(mine, tokens):
        can_win |= wins
    if not np.array_equal(known | mirrored_known, ~can_win):
        sys.exit("the table is not complete")
    win_now = (CELLS - TABLE_PLIES + 1) // 2
    return np.where(can_win, win_now, np.where(known, score, mirrored_score))


def scores_before(mine, tokens, codes, scores, plies):
    """The scores of positions, and the best columns, from the scores of the positions after their moves."""
    best = np.full(len(mine), -100)
    best_column = np.zeros(len(mine), dtype=np.int64)
    for column, legal, token, wins in sorted(after_moves(mine, tokens), key=lambda move: CENTRE_FIRST.index(move[0])):
        code, _ = canonical(tokens ^ mine, tokens | token)
        score, known = look_up(codes, scores, code)
        if not np.all(known | wins | ~legal):
            sys.exit("a position is missing")
        score = np.where(wins, (CELLS - plies + 1) // 2, np.where(legal, -score, -100))
        better = score > best
        best, best_column = np.where(better, score, best), np.where(better, column, best_column)
    return best, best_column


def write_book(path, plies, codes, infos, has_columns):
    """Writes the format of book.rs."""
    book = bytearray(MAGIC)
    book += bytes([plies, has_columns]) + len(codes).to_bytes(4, "little")
    last = -1
    for code, info in zip(codes.tolist(), infos.tolist()):
        step, last = code - last, code
        while step >= 0x80:
            book.append(step & 0x7F | 0x80)
            step >>= 7
        book += bytes([step, info])
    checksum = 0xCBF29CE484222325
    for byte in book:
        checksum = (checksum ^ byte) * 0x100000001B3 % 2**64
    book += checksum.to_bytes(8, "little")
    with open(path, "wb") as file:
        file.write(book)
    print(f"{path}: {len(codes)} positions, {len(book)} bytes, hash {checksum:016x}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel")
    parser.add_argument("output")
    parser.add_argument("--plies", type=int, default=8, choices=range(8, TABLE_PLIES + 1), metavar="N", help="8 to 12")
    options = parser.parse_args()
    with open(options.wheel, "rb") as file:
        if hashlib.sha256(file.read()).hexdigest() != WHEEL_SHA256:
            sys.exit(f"{options.wheel} is not bitbully_databases-0.0.2-py3-none-any.whl")

    empty = np.zeros(1, dtype=np.uint64)
    levels = [(canonical(empty, empty)[0], empty, empty)]
    for _ in range(TABLE_PLIES):
        levels.append(next_level(*levels[-1][1:]))
    codes, mine, tokens = levels[TABLE_PLIES]
    scores = table_scores(read_table(options.wheel), mine, tokens)
    columns = np.zeros(len(codes), dtype=np.int64)
    for plies in range(TABLE_PLIES - 1, options.plies - 1, -1):
        next_codes, next_scores = codes, scores
        codes, mine, tokens = levels[plies]
        scores, columns = scores_before(mine, tokens, next_codes, next_scores, plies)

    # The search never asks for a position in which the player to move wins at once.
    wanted = scores < (CELLS - options.plies + 1) // 2
    has_columns = options.plies < TABLE_PLIES
    infos = (scores + SCORE_OFFSET) * SCORE_UNIT + columns if has_columns else scores + SCORE_OFFSET
    write_book(options.output, options.plies, codes[wanted], infos[wanted], has_columns)


if __name__ == "__main__":
    main()
