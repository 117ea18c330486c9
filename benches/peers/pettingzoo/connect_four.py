"""Random moves of Connect Four a second by PettingZoo: for each line that comes in, a round and its figure.

Without the wrappers that check the caller: that is quicker.
"""

import sys
import time
from random import random

from pettingzoo.classic.connect_four.connect_four import raw_env

env = raw_env()


def play():
    """Plays a game, and tells how many moves it had."""
    env.reset()
    moves = 0
    while True:
        observation, _, ended, _, _ = env.last()
        if ended:
            return moves
        actions = observation["action_mask"].nonzero()[0]
        env.step(int(actions[int(random() * len(actions))]))
        moves += 1


def rounds():
    while True:
        start, moves = time.perf_counter(), 0
        while time.perf_counter() - start < 1:
            moves += play()
        yield moves / (time.perf_counter() - start)


figures = rounds()
for _ in sys.stdin:
    print(next(figures), flush=True)
