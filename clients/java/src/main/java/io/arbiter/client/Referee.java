package io.arbiter.client;

import static io.arbiter.client.Notation.move;
import static io.arbiter.client.Notation.moves;
import static io.arbiter.client.Notation.royalMatchCards;
import static io.arbiter.client.Notation.state;

import io.arbiter.v1.ApplyMoveResponse;
import io.arbiter.v1.Call;
import io.arbiter.v1.CompareCardsResponse;
import io.arbiter.v1.DetermineWinnerResponse;
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
import io.arbiter.v1.TripleTriadCard;
import io.arbiter.v1.ValidateMoveResponse;
import io.arbiter.v1.ViewStateResponse;
import java.util.List;
import java.util.function.Consumer;

/**
 * What can be asked of the service. A state is a message or its text, and so is a move; what is answered has the form
 * of the state that was asked about. Seeds are unsigned numbers of 64 bits.
 *
 * <p>{@link ArbiterClient} asks a server. A game's own tests may put another referee in its place.
 *
 * <p>Every method throws an {@link ArbiterException} if the call fails.
 */
public interface Referee {
    /** {@return whether a move is legal and, if not, every reason why} An illegal move is an answer, not an error. */
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
     * {@return the state after a move, what happened, and where the game then stands}
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

    /** {@return what an arrival captures, in a game that need not be told where it is: RoyalMatch, Connect Four} */
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

    /** {@return whether the game is over, why, and who has won} What is left to chance follows from a drawn seed. */
    DetermineWinnerResponse determineWinner(State state);

    /** {@return {@link #determineWinner(State)} of a state as text} */
    default DetermineWinnerResponse determineWinner(String state) {
        return determineWinner(state(state));
    }

    /** {@return whether the game is over, why, and who has won} What is left to chance follows from the seed. */
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

    /** {@return the games that the service knows, with their rules and notations} */
    default ListGamesResponse listGames() {
        return listGames(false);
    }

    /** {@return the games that the service knows, with or without their built-in cards} */
    ListGamesResponse listGames(boolean includeCards);

    /**
     * {@return the first state of a game} The game is named by its set-up or by its rules; everything else may be left
     * out: {@code newGame(game -> game.setTripleTriad(setup).setRules(rules).setSeed(2).setForm(STATE_FORM_NOTATION))}.
     */
    NewGameResponse newGame(Consumer<NewGameRequest.Builder> game);

    /** {@return every legal move of a state, none when the game is over} */
    ListLegalMovesResponse listLegalMoves(State state);

    /** {@return {@link #listLegalMoves(State)} of a state as text} */
    default ListLegalMovesResponse listLegalMoves(String state) {
        return listLegalMoves(state(state));
    }

    /**
     * {@return the state after many moves, and what happened at each}
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
     * {@return the collections after a game of Triple Triad that somebody has won} Without picks, where the rules give
     * the winner some, the service takes the strongest cards.
     */
    SettleTradeResponse settleTrade(
            State state, List<TripleTriadCard> collectionOne, List<TripleTriadCard> collectionTwo, int... picks);

    /** {@return {@link #settleTrade(State, List, List, int...)} of a state as text} */
    default SettleTradeResponse settleTrade(
            String state, List<TripleTriadCard> collectionOne, List<TripleTriadCard> collectionTwo, int... picks) {
        return settleTrade(state(state), collectionOne, collectionTwo, picks);
    }

    /** {@return a state without what a player may not see} */
    ViewStateResponse viewState(State state, Player viewer);

    /** {@return {@link #viewState(State, Player)} of a state as text} */
    default ViewStateResponse viewState(String state, Player viewer) {
        return viewState(state(state), viewer);
    }

    /** {@return a state typed, as notation, and as a picture in characters} */
    RenderStateResponse renderState(State state);

    /** {@return {@link #renderState(State)} of a state as text} */
    default RenderStateResponse renderState(String state) {
        return renderState(state(state));
    }

    /** {@return the answers to many calls, in order} One that is refused does not spoil the others. */
    List<Reply> evaluateBatch(List<Call> calls);

    /** {@return {@link #evaluateBatch(List)} of these calls} */
    default List<Reply> evaluateBatch(Call... calls) {
        return evaluateBatch(List.of(calls));
    }
}
