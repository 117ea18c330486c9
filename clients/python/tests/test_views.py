"""Whole games between players who only see views (TT-15, RM-7).

A dealer holds the whole state and gives each player a view of it. The players make calls only with their view. The
tests search every response for the cards that are hidden from the player.
"""

import random
import re
from collections.abc import Iterator
from typing import TypeVar

import pytest
from google.protobuf.message import Message

from arbiter_client import Client, InvalidRequestError, RefusedError, calls, get, v1
from arbiter_client.forms import MoveLike

M = TypeVar("M", bound=Message)

FORMS = pytest.mark.parametrize("form", [v1.STATE_FORM_TYPED, v1.STATE_FORM_NOTATION], ids=["typed", "notation"])

# Ids that no other number equals: ranks, levels, squares and scores are 10 at most, and in notation no rank has a zero.
TRIPLE_TRIAD_IDS = range(110, 201, 10)
TRIPLE_TRIAD_NAMES = ["Agate", "Beryl", "Coral", "Flint", "Garnet", "Jasper", "Onyx", "Pearl", "Quartz", "Topaz"]

SUITS = {"H": "♥", "D": "♦", "C": "♣", "S": "♠"}
ROYAL_MATCH_CARDS = [f"{value}{suit}" for suit in SUITS for value in [*range(2, 11), *"JQKA"]]

# Matches anything that can name a card: a card of RoyalMatch, the id of a card of Triple Triad, or its name.
TOKEN = re.compile(r"(?:10|[2-9JQKA])[HDCS](?!\w)|\d+|[A-Z][a-z]+")


def values(message: Message) -> Iterator[str]:
    """All values in a message, at any depth, as text; and each card of RoyalMatch by its suit and value."""
    for field, value in message.ListFields():
        for item in value if field.is_repeated else [value]:
            if isinstance(item, Message):
                yield from values(item)
            else:
                yield field.enum_type.values_by_number[item].name if field.enum_type else str(item)
    if isinstance(message, v1.RoyalMatchCard):
        yield ROYAL_MATCH_CARDS[13 * (message.suit - 1) + message.value - 2]


def show(answer: Message | RefusedError) -> str:
    """The content of an answer as one text."""
    if isinstance(answer, RefusedError):
        return f"{answer}\n{answer.message}\n{answer.metadata}"
    return "\n".join(values(answer))


def tokens(text: str) -> set[str]:
    """Everything in a text that can name a card."""
    for letter, symbol in SUITS.items():
        text = text.replace(symbol, letter)
    return set(TOKEN.findall(text))


def hands(state: v1.State) -> dict[v1.Player, list[set[str]]]:
    """The hands of a typed state: for each card, its names."""
    game = state.triple_triad
    if state.WhichOneof("kind") == "triple_triad":
        found = [[{str(card.id), card.name} for card in hand] for hand in (game.hand_one, game.hand_two)]
    else:
        found = [[{card.notation} for card in seat.hand] for seat in state.royal_match.seats]
    return dict(zip([v1.PLAYER_ONE, v1.PLAYER_TWO, v1.PLAYER_THREE, v1.PLAYER_FOUR], found, strict=False))


def visible(view: v1.State) -> set[str]:
    """The cards that a typed view shows: those of the viewer, and those on the table."""
    game = view.triple_triad
    if view.WhichOneof("kind") == "triple_triad":
        on_board = [square.card for square in game.board if square.HasField("card")]
        return {str(card.id) for card in [*game.hand_one, *game.hand_two, *on_board]}
    seats = view.royal_match.seats
    return {card.notation for seat in seats for card in [*seat.hand, seat.played]}


class Viewer:
    """A player, who knows only the view; `secrets` is only for the checks."""

    def __init__(self, client: Client, player: v1.Player, choice: random.Random) -> None:
        self.client = client
        self.player = player
        self.choice = choice
        self.view = v1.State()
        self.typed = v1.State()
        self.secrets: set[str] = set()

    def receive(self, answer: M) -> M:
        """Checks that an answer contains no hidden card: neither its values nor its bytes."""
        self.check(show(answer))
        content = answer.SerializeToString()
        assert not [name for name in self.secrets & set(TRIPLE_TRIAD_NAMES) if name.encode() in content]
        return answer

    def check(self, text: str) -> None:
        leaked = tokens(text) & self.secrets
        assert not leaked, f"player {self.player} must not know {leaked}: {text}"

    def look(self, view: v1.ViewStateResponse, secrets: set[str]) -> None:
        """Receives a new view, and renders it in every form."""
        self.secrets = secrets
        self.view = self.receive(view).state
        shown = self.receive(self.client.render_state(self.view))
        self.typed = shown.state
        assert self.receive(self.client.render_state(shown.notation)) == shown
        assert self.view in (shown.state, v1.State(notation=shown.notation))

    def move(self) -> tuple[v1.Move, v1.ApplyMoveResponse]:
        """Chooses a legal move, and makes it on the view."""
        move = self.choice.choice(self.receive(self.client.list_legal_moves(self.view)).moves)
        assert self.receive(self.client.validate_move(self.view, move)).verdict == v1.VERDICT_LEGAL
        suggestion = self.client.suggest_move(self.view, max_nodes=100)
        suggestion.ClearField("nodes")  # May equal the id of a card.
        self.receive(suggestion)
        return move, self.receive(self.client.apply_move(self.view, move))

    def wait(self) -> None:
        """Asks for moves when it is the turn of others: refused, because the response depends on their hands."""
        for ask in (self.client.list_legal_moves, self.client.suggest_move):
            with pytest.raises(InvalidRequestError) as raised:
                ask(self.view)
            assert raised.value.reason == "ERROR_REASON_HIDDEN_INFORMATION"
            self.check(show(raised.value))

    def ask_about_every_card(self, player: v1.Player) -> set[str]:
        """Validates and applies a move of a player with every possible card.

        Returns the different answers for cards that the viewer does not see, without the card of the request.
        """
        square = self.choice.randrange(9)
        seen = visible(self.typed)
        cards = list_cards(self.typed)
        moves = [self.write(player, card, square) for card in cards]
        answers = self.client.evaluate_batch(
            [ask for move in moves for ask in (calls.validate_move(self.view, move), calls.apply_move(self.view, move))]
        )
        different = set()
        for card, validated, applied in zip(cards, answers[::2], answers[1::2], strict=True):
            asked = rf"\bcard {card}\b" if card.isdecimal() else rf"\b{card}\b"
            text = re.sub(asked, "?", f"{show(validated)}\n{show(applied)}")
            self.check(text)
            if card not in seen:
                different.add(text)
        return different

    def write(self, player: v1.Player, card: str, square: int) -> MoveLike:
        """Creates a move in the form of the view."""
        is_text = self.view.WhichOneof("kind") == "notation"
        if self.typed.WhichOneof("kind") == "triple_triad":
            row, column = divmod(square, 3)
            typed = v1.TripleTriadMove(card_id=int(card), square=v1.Square(row=row, column=column))
            return f"{card}@{square + 1}" if is_text else typed
        of_card = v1.RoyalMatchCard(notation=card)
        return f"{player}:{card}" if is_text else v1.RoyalMatchMove(player=player, card=of_card)


def list_cards(state: v1.State) -> list[str]:
    """All possible cards of the game of a state."""
    is_triple_triad = state.WhichOneof("kind") == "triple_triad"
    return [str(number) for number in range(1, 201)] if is_triple_triad else ROYAL_MATCH_CARDS


class Dealer:
    """Holds the whole state, and gives each player only a view of it."""

    def __init__(self, server: str, state: v1.State, seed: int) -> None:
        self.client = Client(server)
        self.choice = random.Random(seed)  # noqa: S311
        self.state = state
        self.outcome = self.client.determine_winner(state).outcome
        self.viewers = {player: Viewer(Client(server), player, self.choice) for player in hands(self.typed())}

    def __enter__(self) -> "Dealer":
        return self

    def __exit__(self, *_: object) -> None:
        for client in [self.client, *(viewer.client for viewer in self.viewers.values())]:
            client.close()

    def typed(self) -> v1.State:
        return self.client.render_state(self.state).state

    def deal(self) -> None:
        """Gives each player a view of the state."""
        held = hands(self.typed())
        for player, viewer in self.viewers.items():
            others = [card for other, hand in held.items() if other != player for card in hand]
            viewer.look(self.client.view_state(self.state, player), set[str]().union(*others))
            assert viewer.receive(viewer.client.determine_winner(viewer.view)).outcome == self.outcome

    def play(self) -> v1.Outcome:
        """Plays until no player is to move."""
        self.deal()
        while self.outcome.next_players:
            mover = self.viewers[self.choice.choice(self.outcome.next_players)]
            for viewer in self.viewers.values():
                is_next = viewer.player in self.outcome.next_players
                assert len(viewer.ask_about_every_card(viewer.player if is_next else mover.player)) == 1
                if not is_next:
                    viewer.wait()

            move, foreseen = mover.move()
            applied = self.client.apply_move(self.state, move)
            self.state, self.outcome = applied.state, applied.outcome
            self.deal()
            assert foreseen.state == mover.view
            assert (foreseen.events, foreseen.outcome) == (applied.events, applied.outcome)
        for viewer in self.viewers.values():
            assert not viewer.receive(viewer.client.list_legal_moves(viewer.view)).moves
        return self.outcome


def deal_triple_triad(
    server: str, rules: v1.TripleTriadRules, form: v1.StateForm, seed: int, *, strongest: int = 10
) -> v1.State:
    """A new game with custom cards, whose ids and names are unique."""
    choice = random.Random(seed)  # noqa: S311
    elements: list[v1.TripleTriadElement | None] = [
        None,
        None,
        v1.TRIPLE_TRIAD_ELEMENT_FIRE,
        v1.TRIPLE_TRIAD_ELEMENT_ICE,
    ]
    cards = []
    for number, name in zip(TRIPLE_TRIAD_IDS, TRIPLE_TRIAD_NAMES, strict=True):
        top, right, bottom, left = choice.choices(range(1, strongest + 1), k=4)
        card = v1.TripleTriadCard(id=number, top=top, right=right, bottom=bottom, left=left, name=name)
        card.MergeFrom(v1.TripleTriadCard(level=choice.randint(1, 10), element=choice.choice(elements)))
        cards.append(card)
    choice.shuffle(cards)
    setup = v1.TripleTriadSetup(hand_one=cards[:5], hand_two=cards[5:])
    with Client(server) as client:
        return client.new_game(setup, rules=rules, seed=seed, form=form).state


@FORMS
@pytest.mark.parametrize(
    ("rules", "seed"),
    [
        (v1.TripleTriadRules(), 1),
        (v1.TripleTriadRules(elemental=True, same=True, same_wall=True), 2),
        (v1.TripleTriadRules(plus=True, combo=True, basic_capture=v1.TRIPLE_TRIAD_BASIC_CAPTURE_ALWAYS), 3),
        (v1.TripleTriadRules(same=True, plus=True, combo=True, sudden_death=True), 4),
    ],
    ids=["basic", "elemental", "plus", "combo"],
)
def test_triple_triad_on_views(server: str, rules: v1.TripleTriadRules, form: v1.StateForm, seed: int) -> None:
    with Dealer(server, deal_triple_triad(server, rules, form, seed), seed) as dealer:
        outcome = dealer.play()
    assert outcome.end_reason == v1.END_REASON_BOARD_FULL


@FORMS
def test_sudden_death_on_views(server: str, form: v1.StateForm) -> None:
    rules = v1.TripleTriadRules(sudden_death=True, sudden_death_limit=2)
    # All ranks are equal, so nothing is ever captured and every round is drawn.
    with Dealer(server, deal_triple_triad(server, rules, form, seed=3, strongest=1), seed=3) as dealer:
        assert dealer.play().result == v1.GAME_RESULT_SUDDEN_DEATH_CONTINUE
        for viewer in dealer.viewers.values():
            # The owners of the cards in the next round depend on the hidden hand.
            assert get(viewer.receive(viewer.client.determine_winner(viewer.view)), "next_round") is None
        dealer.state = dealer.client.determine_winner(dealer.state, seed=1).next_round
        dealer.outcome = dealer.client.determine_winner(dealer.state).outcome
        assert dealer.play().result == v1.GAME_RESULT_FINAL_DRAW


@FORMS
@pytest.mark.parametrize(
    ("players", "ordering"),
    [
        (2, v1.ROYAL_MATCH_ORDERING_SUIT_THEN_VALUE),
        (3, v1.ROYAL_MATCH_ORDERING_VALUE_THEN_SUIT),
        (4, v1.ROYAL_MATCH_ORDERING_VALUE_THEN_SUIT),
    ],
)
def test_royal_match_on_views(server: str, players: int, ordering: v1.RoyalMatchOrdering, form: v1.StateForm) -> None:
    setup = v1.RoyalMatchSetup(players=players, hand_size=5)
    with Client(server) as client:
        state = client.new_game(setup, rules=v1.RoyalMatchRules(ordering=ordering), seed=players, form=form).state
    with Dealer(server, state, seed=players) as dealer:
        outcome = dealer.play()
    assert outcome.end_reason == v1.END_REASON_HANDS_EMPTY
    assert len(outcome.scores) == players


@FORMS
@pytest.mark.parametrize(
    ("one", "two", "viewer"),
    [
        (
            "tt:-:-,-,-/-,X99,-/-,-,-:1,2,3,4:10,11,12,13,14:O",
            "tt:-:-,-,-/-,X99,-/-,-,-:1,2,3,4:110,91,92,93,94:O",
            v1.PLAYER_ONE,
        ),
        ("rm:vC:4C,AS;1;2H/QH,10S,10D;0/QS,5C,9C;0", "rm:vC:3H,4H;1;2H/QH,10S,10D;0/KS,KC,KH;0", v1.PLAYER_TWO),
    ],
    ids=["triple_triad", "royal_match"],
)
def test_a_view_does_not_depend_on_what_it_hides(
    server: str, one: str, two: str, viewer: v1.Player, form: v1.StateForm
) -> None:
    with Client(server) as client:
        views = []
        for text in (one, two):
            whole = client.render_state(text)
            state = v1.State(notation=whole.notation) if form == v1.STATE_FORM_NOTATION else whole.state
            views.append(client.view_state(state, viewer).SerializeToString(deterministic=True))
    assert views[0] == views[1]
