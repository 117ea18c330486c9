"""Random Connect Four moves per second with OpenSpiel. Plays one round per line of input and prints its figure.

With the argument `python` each move is a call from Python. With `rollouts` the C++ library plays the games: its tree
search evaluates only the start position, with a number of random rollouts. It does not report the number of moves, so
the mean length comes from games played in Python.
"""

import sys
import time
from random import random

import pyspiel

GAME = pyspiel.load_game("connect_four")
ROLLOUTS = 10_000
GAMES_FOR_LENGTH = 20_000


def play():
    """Plays a game and returns its number of moves."""
    state = GAME.new_initial_state()
    moves = 0
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply_action(actions[int(random() * len(actions))])
        moves += 1
    return moves


def python():
    while True:
        start, moves = time.perf_counter(), 0
        while time.perf_counter() - start < 1:
            moves += play()
        yield moves / (time.perf_counter() - start)


def rollouts():
    length = sum(play() for _ in range(GAMES_FOR_LENGTH)) / GAMES_FOR_LENGTH
    evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, 1)
    search = pyspiel.MCTSBot(
        GAME, evaluator, uct_c=2.0, max_simulations=1, max_memory_mb=100, solve=False, seed=1, verbose=False
    )
    state = GAME.new_initial_state()
    while True:
        start, moves = time.perf_counter(), 0
        while time.perf_counter() - start < 1:
            search.mcts_search(state)
            moves += ROLLOUTS * length
        yield moves / (time.perf_counter() - start)


rounds = {"python": python, "rollouts": rollouts}[sys.argv[1]]()
for _ in sys.stdin:
    print(next(rounds), flush=True)
