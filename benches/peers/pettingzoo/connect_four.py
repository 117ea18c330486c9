"""Random Connect Four moves per second with PettingZoo. Plays one round per line of input and prints its figure.

Runs without the wrappers that check the caller, which is faster.
"""

import sys
import time
from random import random

from pettingzoo.classic.connect_four.connect_four import raw_env

env = raw_env()


def play():
    """Plays a game and returns its number of moves."""
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
