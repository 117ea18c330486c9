"""Every call of the service, defined once: its parameters, its request and its response."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Protocol, TypeAlias, TypeVar, cast, overload

import grpc
from google.protobuf.message import Message

from . import v1
from .errors import ArbiterError, RefusedError, read_refusal
from .forms import (
    MoveLike,
    RoyalMatchCardLike,
    RulesLike,
    SetupLike,
    SquareLike,
    StateLike,
    TripleTriadCardLike,
    hold,
    to_message,
    to_new_game,
    to_pool,
    to_square,
)

if TYPE_CHECKING:
    from .client import AsyncClient, Client

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

DEFAULT_TIMEOUT = 5.0
SUGGEST_MOVE_TIMEOUT = 10.0  # The service's own default limit: a search may take that long.

Answer: TypeAlias = (
    v1.ValidateMoveResponse
    | v1.ApplyMoveResponse
    | v1.ResolveCapturesResponse
    | v1.DetermineWinnerResponse
    | v1.CompareCardsResponse
    | v1.ListGamesResponse
    | v1.NewGameResponse
    | v1.ListLegalMovesResponse
    | v1.ReplayGameResponse
    | v1.SettleTradeResponse
    | v1.ViewStateResponse
    | v1.RenderStateResponse
    | RefusedError
)
"""The answer to one call of a batch or a stream: its response, or the refusal."""


def unchanged(response: Any) -> Any:
    """Returns a response unchanged."""
    return response


@dataclass(frozen=True)
class Call(Generic[R_co]):
    """A call that has not been made yet. `R_co` is the type of its result."""

    request: Message
    """The request: its type says which call it is."""
    timeout: float | None = None
    """The deadline in seconds. None: the client's, or else `default_timeout`. `math.inf`: no limit."""
    read: Callable[[Any], R_co] = field(default=unchanged, repr=False, compare=False)
    """Converts the response to the result of the call."""

    @property
    def rpc(self) -> str:
        """The name of the call, such as `ApplyMove`."""
        return type(self.request).__name__.removesuffix("Request")

    @property
    def default_timeout(self) -> float:
        """The deadline in seconds, if neither the call nor the client has one."""
        return SUGGEST_MOVE_TIMEOUT if isinstance(self.request, v1.SuggestMoveRequest) else DEFAULT_TIMEOUT

    def to_item(self) -> v1.Call:
        """The call as an item of a batch or a stream."""
        if self.timeout is not None:
            raise ValueError("an item of a batch or a stream cannot have a timeout: set it for the whole call")
        return hold(v1.Call, "kind", self.request)


class Method(Protocol[P, R_co]):
    """The type of a method of `Calls`: the result depends on the class it is called on."""

    @overload
    def __get__(self, caller: Client, owner: type) -> Callable[P, R_co]: ...
    @overload
    def __get__(self, caller: AsyncClient, owner: type) -> Callable[P, Coroutine[Any, Any, R_co]]: ...
    @overload
    def __get__(self, caller: CallBuilder, owner: type) -> Callable[P, Call[R_co]]: ...
    @overload
    def __get__(self, caller: None, owner: type) -> Callable[..., Any]: ...


def sent(build: Callable[Concatenate[Any, P], Call[R]]) -> Method[P, R]:
    """Turns a method that builds a call into one that passes it to `_send` of its class."""

    @functools.wraps(build)
    def method(self: Calls, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        return self._send(build(self, *args, **kwargs))

    return cast("Method[P, R]", method)


class Calls:
    """The calls of the service.

    Where a method is declared to return `Call[X]`, `Client` returns an `X`, `AsyncClient` an awaitable of one, and
    `calls` the call itself. `timeout` is in seconds. Default: the client's. `math.inf`: no limit.
    """

    def _send(self, call: Call[Any]) -> Any:
        raise NotImplementedError

    @sent
    def validate_move(
        self, state: StateLike, move: MoveLike, *, timeout: float | None = None
    ) -> Call[v1.ValidateMoveResponse]:
        """Returns whether a move is legal and, if not, every reason why. An illegal move is not an error here."""
        request = v1.ValidateMoveRequest(state=to_message(v1.State, state), move=to_message(v1.Move, move))
        return Call(request, timeout)

    @sent
    def apply_move(
        self, state: StateLike, move: MoveLike, *, timeout: float | None = None
    ) -> Call[v1.ApplyMoveResponse]:
        """Makes a move: returns the next state, the events and the outcome. On a view, the viewer's next view.

        Raises `IllegalMoveError` for an illegal move.
        """
        request = v1.ApplyMoveRequest(state=to_message(v1.State, state), move=to_message(v1.Move, move))
        return Call(request, timeout)

    @sent
    def resolve_captures(
        self, state: StateLike, arrived_at: SquareLike | None = None, *, timeout: float | None = None
    ) -> Call[v1.ResolveCapturesResponse]:
        """Returns what the piece or card that has just arrived captures, and the state after it."""
        square = None if arrived_at is None else to_square(arrived_at)
        return Call(v1.ResolveCapturesRequest(state=to_message(v1.State, state), arrived_at=square), timeout)

    @sent
    def determine_winner(
        self, state: StateLike, *, seed: int | None = None, timeout: float | None = None
    ) -> Call[v1.DetermineWinnerResponse]:
        """Returns whether the game is over, why, who has won, and by which lines or scores."""
        return Call(v1.DetermineWinnerRequest(state=to_message(v1.State, state), seed=seed), timeout)

    @sent
    def compare_cards(
        self,
        cards: Iterable[RoyalMatchCardLike],
        dominant_suit: v1.RoyalMatchSuit,
        *,
        ordering: v1.RoyalMatchOrdering | None = None,
        timeout: float | None = None,
    ) -> Call[v1.CompareCardsResponse]:
        """Compares RoyalMatch cards: which wins, and what decides it."""
        request = v1.CompareCardsRequest(
            cards=[to_message(v1.RoyalMatchCard, card) for card in cards],
            dominant_suit=dominant_suit,
            ordering=ordering,
        )
        return Call(request, timeout)

    @sent
    def list_games(
        self, *, include_cards: bool = False, include_clauses: bool = False, timeout: float | None = None
    ) -> Call[v1.ListGamesResponse]:
        """Lists the games of the service, with their rules and notations.

        `include_cards` adds the built-in cards, `include_clauses` the text of every clause of the rules.
        """
        return Call(v1.ListGamesRequest(include_cards=include_cards, include_clauses=include_clauses), timeout)

    @sent
    def new_game(
        self,
        setup: SetupLike | None = None,
        *,
        rules: RulesLike | None = None,
        seed: int | None = None,
        form: v1.StateForm | None = None,
        timeout: float | None = None,
    ) -> Call[v1.NewGameResponse]:
        """Starts a game, given its name, its setup or its rules. Without `form` the state is typed."""
        request = to_new_game(setup)
        ruled = None if rules is None else to_message(v1.RuleSet, rules)
        request.MergeFrom(v1.NewGameRequest(rules=ruled, seed=seed, form=form))
        return Call(request, timeout)

    @sent
    def list_legal_moves(self, state: StateLike, *, timeout: float | None = None) -> Call[v1.ListLegalMovesResponse]:
        """Lists the legal moves of a state, in a fixed order. Empty when the game is over."""
        return Call(v1.ListLegalMovesRequest(state=to_message(v1.State, state)), timeout)

    @sent
    def replay_game(
        self, state: StateLike, moves: Iterable[MoveLike], *, timeout: float | None = None
    ) -> Call[v1.ReplayGameResponse]:
        """Makes many moves in order. Raises `IllegalMoveError` with `move_index` for an illegal one."""
        request = v1.ReplayGameRequest(
            state=to_message(v1.State, state), moves=[to_message(v1.Move, move) for move in moves]
        )
        return Call(request, timeout)

    @sent
    def settle_trade(
        self,
        state: StateLike,
        collection_one: Iterable[TripleTriadCardLike],
        collection_two: Iterable[TripleTriadCardLike],
        *,
        picks: Iterable[int] = (),
        timeout: float | None = None,
    ) -> Call[v1.SettleTradeResponse]:
        """Moves cards between collections after a game of Triple Triad that has a winner."""
        request = v1.SettleTradeRequest(
            state=to_message(v1.State, state),
            collection_one=[to_message(v1.TripleTriadCard, card) for card in collection_one],
            collection_two=[to_message(v1.TripleTriadCard, card) for card in collection_two],
            picks=picks,
        )
        return Call(request, timeout)

    @sent
    def view_state(
        self, state: StateLike, viewer: v1.Player, *, timeout: float | None = None
    ) -> Call[v1.ViewStateResponse]:
        """Returns the state as one player sees it: a view. Most calls accept it in place of the whole state."""
        return Call(v1.ViewStateRequest(state=to_message(v1.State, state), viewer=viewer), timeout)

    @sent
    def render_state(self, state: StateLike, *, timeout: float | None = None) -> Call[v1.RenderStateResponse]:
        """Returns a state in every form: typed, as notation, and as a text board for people."""
        return Call(v1.RenderStateRequest(state=to_message(v1.State, state)), timeout)

    @sent
    def suggest_move(
        self,
        state: StateLike,
        *,
        player: v1.Player | None = None,
        level: v1.SuggestionLevel | None = None,
        max_nodes: int | None = None,
        seed: int | None = None,
        max_line_plies: int | None = None,
        triple_triad_pool: Iterable[TripleTriadCardLike] | None = None,
        timeout: float | None = None,
    ) -> Call[v1.SuggestMoveResponse]:
        """Evaluates every legal move of a player, and chooses one that a player of this level would make.

        Without `level`, the best one. `max_nodes` limits the search, not the time, so the same arguments have the same
        result. `triple_triad_pool` lists what the hidden cards of a Triple Triad view may be. A suggestion cannot be an
        item of a batch or a stream.
        """
        pool = None if triple_triad_pool is None else to_pool(triple_triad_pool)
        request = v1.SuggestMoveRequest(
            state=to_message(v1.State, state),
            player=player,
            level=level,
            max_nodes=max_nodes,
            seed=seed,
            max_line_plies=max_line_plies,
            triple_triad_pool=pool,
        )
        return Call(request, timeout)

    @sent
    def evaluate_batch(self, calls: Iterable[Call[Any]], *, timeout: float | None = None) -> Call[list[Answer]]:
        """Makes many calls in one. Returns one answer per call, in order; a refusal does not affect other calls."""
        request = v1.EvaluateBatchRequest(calls=[call.to_item() for call in calls])
        return Call(request, timeout, lambda response: [read_answer(answer) for answer in response.answers])


class CallBuilder(Calls):
    """Builds calls without making them, for `evaluate_batch` and `evaluate`."""

    def _send(self, call: Call[R]) -> Call[R]:
        return call


calls = CallBuilder()
"""Builds calls for `evaluate_batch` and `evaluate`: `calls.apply_move("444", "4")`."""


def read_answer(answer: v1.Answer) -> Answer:
    """Reads the answer to one call of a batch or a stream."""
    kind = answer.WhichOneof("kind")
    if kind is None:
        raise ArbiterError(grpc.StatusCode.UNIMPLEMENTED, "the answer has a kind that this client does not know")
    if kind == "refusal":
        return read_refusal(answer.refusal)
    return cast("Answer", getattr(answer, kind))
