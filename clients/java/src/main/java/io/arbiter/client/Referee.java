package io.arbiter.client;

import static io.arbiter.client.Notation.move;
import static io.arbiter.client.Notation.moves;
import static io.arbiter.client.Notation.royalMatchCards;
import static io.arbiter.client.Notation.state;

import io.arbiter.v1.ApplyMoveResponse;
import io.arbiter.v1.Call;
import io.arbiter.v1.CompareCardsResponse;
import io.arbiter.v1.DetermineWinnerResponse;
import io.arbiter.v1.ListGamesRequest;
import io.arbiter.v1.ListGamesResponse;
import io.arbiter.v1.ListLegalMovesResponse;
import io.arbiter.v1.Move;
import io.arbiter.v1.NewGameRequest;
import io.arbiter.v1.NewGameResponse;
import io.arbiter.v1.Player;
import io.arbiter.v1.RenderStateResponse;
import io.arbiter.v1.ReplayGameResponse;
import io.arbiter.v1.ResolveCapturesResponse;
import io.arbiter.v1.RoyalMatchCard;
import io.arbiter.v1.RoyalMatchOrdering;
import io.arbiter.v1.RoyalMatchSuit;
import io.arbiter.v1.SettleTradeResponse;
import io.arbiter.v1.Square;
import io.arbiter.v1.State;
import io.arbiter.v1.SuggestMoveRequest;
import io.arbiter.v1.SuggestMoveResponse;
import io.arbiter.v1.TripleTriadCard;
import io.arbiter.v1.ValidateMoveResponse;
import io.arbiter.v1.ViewStateResponse;
import java.util.List;
import java.util.function.Consumer;

/**
 * The calls of the service. States and moves are messages or text; responses have the form of the state in the request.
 * Seeds are unsigned 64-bit numbers.
 *
 * <p>{@link ArbiterClient} calls a server. Tests of a game may use another implementation.
 *
 * <p>The state may be a view, the state as one player sees it, unless a method says otherwise: see
 * {@link #viewState(State, Player)}.
 *
 * <p>Every method throws an {@link ArbiterException} if the call fails.
 */
public interface Referee {
    /** {@return whether a move is legal and, if not, every reason why} An illegal move is not an error here. */
    ValidateMoveResponse validateMove(State state, Move move);

    /** {@return {@link #validateMove(State, Move)} of a move as text} */
    default ValidateMoveResponse validateMove(State state, String move) {
        return validateMove(state, move(move));
    }

    /** {@return {@link #validateMove(State, Move)} of a state as text} */
    default ValidateMoveResponse validateMove(String state, Move move) {
        return validateMove(state(state), move);
    }

    /** {@return {@link #validateMove(State, Move)} of a state and a move as text} */
    default ValidateMoveResponse validateMove(String state, String move) {
        return validateMove(state(state), move(move));
    }

    /**
     * {@return the next state, the events and the outcome of a move} On a view, the viewer's next view.
     *
     * @throws IllegalMoveException if the rules forbid the move
     */
    ApplyMoveResponse applyMove(State state, Move move);

    /** {@return {@link #applyMove(State, Move)} of a move as text} */
    default ApplyMoveResponse applyMove(State state, String move) {
        return applyMove(state, move(move));
    }

    /** {@return {@link #applyMove(State, Move)} of a state as text} */
    default ApplyMoveResponse applyMove(String state, Move move) {
        return applyMove(state(state), move);
    }

    /** {@return {@link #applyMove(State, Move)} of a state and a move as text} */
    default ApplyMoveResponse applyMove(String state, String move) {
        return applyMove(state(state), move(move));
    }

    /** {@return what the piece or card that has just arrived captures, for RoyalMatch and Connect Four} */
    ResolveCapturesResponse resolveCaptures(State state);

    /** {@return {@link #resolveCaptures(State)} of a state as text} */
    default ResolveCapturesResponse resolveCaptures(String state) {
        return resolveCaptures(state(state));
    }

    /** {@return what the piece or card that has just arrived on a square captures, and the state after it} */
    ResolveCapturesResponse resolveCaptures(State state, Square arrivedAt);

    /** {@return {@link #resolveCaptures(State, Square)} of a state as text} */
    default ResolveCapturesResponse resolveCaptures(String state, Square arrivedAt) {
        return resolveCaptures(state(state), arrivedAt);
    }

    /**
     * {@return whether the game is over, why, and who has won; if it goes on, whose turn it is} The service draws the
     * seed of random choices. {@link OptionalFields} has the winner and the end reason as {@code Optional}.
     */
    DetermineWinnerResponse determineWinner(State state);

    /** {@return {@link #determineWinner(State)} of a state as text} */
    default DetermineWinnerResponse determineWinner(String state) {
        return determineWinner(state(state));
    }

    /** {@return {@link #determineWinner(State)} with this seed for random choices} */
    DetermineWinnerResponse determineWinner(State state, long seed);

    /** {@return {@link #determineWinner(State, long)} of a state as text} */
    default DetermineWinnerResponse determineWinner(String state, long seed) {
        return determineWinner(state(state), seed);
    }

    /** {@return which card of RoyalMatch wins, or the ranking of more than two} By value first, then by suit. */
    CompareCardsResponse compareCards(RoyalMatchSuit dominantSuit, RoyalMatchCard... cards);

    /** {@return {@link #compareCards(RoyalMatchSuit, RoyalMatchCard...)} of cards as text} */
    default CompareCardsResponse compareCards(RoyalMatchSuit dominantSuit, String... cards) {
        return compareCards(dominantSuit, royalMatchCards(cards));
    }

    /** {@return which card of RoyalMatch wins, or the ranking of more than two, by an ordering} */
    CompareCardsResponse compareCards(
            RoyalMatchSuit dominantSuit, RoyalMatchOrdering ordering, RoyalMatchCard... cards);

    /** {@return {@link #compareCards(RoyalMatchSuit, RoyalMatchOrdering, RoyalMatchCard...)} of cards as text} */
    default CompareCardsResponse compareCards(
            RoyalMatchSuit dominantSuit, RoyalMatchOrdering ordering, String... cards) {
        return compareCards(dominantSuit, ordering, royalMatchCards(cards));
    }

    /** {@return the games of the service, with their rules and notations} */
    default ListGamesResponse listGames() {
        return listGames(games -> {});
    }

    /**
     * {@return the games of the service; on request with their built-in cards and with the text of every clause of the
     * rules} For example {@code listGames(games -> games.setIncludeCards(true).setIncludeClauses(true))}.
     */
    ListGamesResponse listGames(Consumer<ListGamesRequest.Builder> games);

    /**
     * {@return the first state of a game} The setup or the rules select the game; everything else is optional:
     * {@code newGame(game -> game.setTripleTriad(setup).setRules(rules).setSeed(2).setForm(STATE_FORM_NOTATION))}.
     */
    NewGameResponse newGame(Consumer<NewGameRequest.Builder> game);

    /** {@return the legal moves of a state; of a view, the viewer's moves} Empty when the game is over. */
    ListLegalMovesResponse listLegalMoves(State state);

    /** {@return {@link #listLegalMoves(State)} of a state as text} */
    default ListLegalMovesResponse listLegalMoves(String state) {
        return listLegalMoves(state(state));
    }

    /**
     * {@return the state after many moves, and the events of each} Needs the whole state, not a view.
     *
     * @throws IllegalMoveException if one of the moves is illegal, with its index
     */
    ReplayGameResponse replayGame(State state, List<Move> moves);

    /** {@return {@link #replayGame(State, List)} of a state as text} */
    default ReplayGameResponse replayGame(String state, List<Move> moves) {
        return replayGame(state(state), moves);
    }

    /** {@return {@link #replayGame(State, List)} of moves as text} */
    default ReplayGameResponse replayGame(State state, String... moves) {
        return replayGame(state, moves(moves));
    }

    /** {@return {@link #replayGame(State, List)} of a state and moves as text} */
    default ReplayGameResponse replayGame(String state, String... moves) {
        return replayGame(state(state), moves(moves));
    }

    /**
     * {@return the collections after a game of Triple Triad that has a winner} If the trade rule gives a choice, picks
     * are the ids of the cards that the winner takes; without picks the service takes the best. Needs the whole state,
     * not a view.
     */
    SettleTradeResponse settleTrade(
            State state, List<TripleTriadCard> collectionOne, List<TripleTriadCard> collectionTwo, int... picks);

    /** {@return {@link #settleTrade(State, List, List, int...)} of a state as text} */
    default SettleTradeResponse settleTrade(
            String state, List<TripleTriadCard> collectionOne, List<TripleTriadCard> collectionTwo, int... picks) {
        return settleTrade(state(state), collectionOne, collectionTwo, picks);
    }

    /**
     * {@return a view: the state as one player sees it, without the cards that the player may not know} A client that
     * acts for one player should use that player's view. The service refuses a call whose response depends on hidden
     * cards, with {@code ERROR_REASON_HIDDEN_INFORMATION}, an {@link InvalidRequestException}. The argument is the
     * whole state.
     */
    ViewStateResponse viewState(State state, Player viewer);

    /** {@return {@link #viewState(State, Player)} of a state as text} */
    default ViewStateResponse viewState(String state, Player viewer) {
        return viewState(state(state), viewer);
    }

    /** {@return a state in every form: typed, as notation, and as a text board for people} */
    RenderStateResponse renderState(State state);

    /** {@return {@link #renderState(State)} of a state as text} */
    default RenderStateResponse renderState(String state) {
        return renderState(state(state));
    }

    /**
     * {@return the best move of the player to move, and the evaluation of every legal move} The same request always has
     * the same response.
     */
    default SuggestMoveResponse suggestMove(State state) {
        return suggestMove(state, options -> {});
    }

    /** {@return {@link #suggestMove(State)} of a state as text} */
    default SuggestMoveResponse suggestMove(String state) {
        return suggestMove(state(state));
    }

    /**
     * {@return the move that a player of a level makes, and the evaluation of every legal move} For example
     * {@code suggestMove(state, options -> options.setLevel(SUGGESTION_LEVEL_CASUAL).setSeed(7).setMaxNodes(100_000))}.
     * A suggestion cannot be an item of a batch or a stream.
     */
    SuggestMoveResponse suggestMove(State state, Consumer<SuggestMoveRequest.Builder> options);

    /** {@return {@link #suggestMove(State, Consumer)} of a state as text} */
    default SuggestMoveResponse suggestMove(String state, Consumer<SuggestMoveRequest.Builder> options) {
        return suggestMove(state(state), options);
    }

    /** {@return one answer per call, in order} A refusal does not affect other calls. */
    List<Reply> evaluateBatch(List<Call> calls);

    /** {@return {@link #evaluateBatch(List)} of these calls} */
    default List<Reply> evaluateBatch(Call... calls) {
        return evaluateBatch(List.of(calls));
    }
}
