"""Random Connect Four moves per second with pgx. Plays one round per line of input and prints its figure.

Plays 4096 games at once with pgx's auto-reset wrapper, and many moves of each in one compiled function.
"""

import sys
import time

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental import auto_reset

GAMES = 4096
MOVES = 100

env = pgx.make("connect_four")
step = jax.vmap(auto_reset(env.step, env.init))


@jax.jit
def play(states, key):
    """Makes random moves in all games and returns the number of games that ended."""

    def move(states, key):
        for_moves, for_games = jax.random.split(key)
        legal = jnp.log(states.legal_action_mask.astype(jnp.float32))
        actions = jax.random.categorical(for_moves, legal, axis=1)
        states = step(states, actions, jax.random.split(for_games, GAMES))
        return states, states.terminated.sum()

    states, ended = jax.lax.scan(move, states, jax.random.split(key, MOVES))
    return states, ended.sum()


def rounds():
    key = jax.random.PRNGKey(0)
    states = jax.jit(jax.vmap(env.init))(jax.random.split(key, GAMES))
    states, _ = play(states, key)  # compiles the function and spreads the games over all stages
    while True:
        start, moves, games = time.perf_counter(), 0, 0
        while time.perf_counter() - start < 1:
            key, now = jax.random.split(key)
            states, ended = play(states, now)
            games += int(ended)
            moves += GAMES * MOVES
        seconds = time.perf_counter() - start
        # Random games have about 21 moves. Another mean would show that other moves were played.
        assert 20 < moves / games < 23, moves / games
        yield moves / seconds


figures = rounds()
for _ in sys.stdin:
    print(next(figures), flush=True)
