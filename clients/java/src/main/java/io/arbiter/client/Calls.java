package io.arbiter.client;

import io.arbiter.v1.ApplyMoveRequest;
import io.arbiter.v1.Call;
import io.arbiter.v1.CompareCardsRequest;
import io.arbiter.v1.DetermineWinnerRequest;
import io.arbiter.v1.ListGamesRequest;
import io.arbiter.v1.ListLegalMovesRequest;
import io.arbiter.v1.Move;
import io.arbiter.v1.NewGameRequest;
import io.arbiter.v1.Player;
import io.arbiter.v1.RenderStateRequest;
import io.arbiter.v1.ReplayGameRequest;
import io.arbiter.v1.ResolveCapturesRequest;
import io.arbiter.v1.RoyalMatchCard;
import io.arbiter.v1.RoyalMatchOrdering;
import io.arbiter.v1.RoyalMatchSuit;
import io.arbiter.v1.SettleTradeRequest;
import io.arbiter.v1.Square;
import io.arbiter.v1.State;
import io.arbiter.v1.TripleTriadCard;
import io.arbiter.v1.ValidateMoveRequest;
import io.arbiter.v1.ViewStateRequest;
import java.util.List;
import java.util.function.Consumer;

/**
 * The calls as messages, for {@link Referee#evaluateBatch} and {@link EvaluateStream#send}. Each method has the
 * parameters of the {@link Referee} method of the same name. {@link Notation} converts text to states and moves.
 */
public final class Calls {
    private Calls() {}

    /** {@return the call of {@link Referee#validateMove(State, Move)}} */
    public static Call validateMove(State state, Move move) {
        return call(call -> call.setValidateMove(
                ValidateMoveRequest.newBuilder().setState(state).setMove(move)));
    }

    /** {@return the call of {@link Referee#applyMove(State, Move)}} */
    public static Call applyMove(State state, Move move) {
        return call(call ->
                call.setApplyMove(ApplyMoveRequest.newBuilder().setState(state).setMove(move)));
    }

    /** {@return the call of {@link Referee#resolveCaptures(State)}} */
    public static Call resolveCaptures(State state) {
        return call(call ->
                call.setResolveCaptures(ResolveCapturesRequest.newBuilder().setState(state)));
    }

    /** {@return the call of {@link Referee#resolveCaptures(State, Square)}} */
    public static Call resolveCaptures(State state, Square arrivedAt) {
        return call(call -> call.setResolveCaptures(
                ResolveCapturesRequest.newBuilder().setState(state).setArrivedAt(arrivedAt)));
    }

    /** {@return the call of {@link Referee#determineWinner(State)}} */
    public static Call determineWinner(State state) {
        return call(call ->
                call.setDetermineWinner(DetermineWinnerRequest.newBuilder().setState(state)));
    }

    /** {@return the call of {@link Referee#determineWinner(State, long)}} */
    public static Call determineWinner(State state, long seed) {
        return call(call -> call.setDetermineWinner(
                DetermineWinnerRequest.newBuilder().setState(state).setSeed(seed)));
    }

    /** {@return the call of {@link Referee#compareCards(RoyalMatchSuit, RoyalMatchCard...)}} */
    public static Call compareCards(RoyalMatchSuit dominantSuit, RoyalMatchCard... cards) {
        return call(call -> call.setCompareCards(
                CompareCardsRequest.newBuilder().setDominantSuit(dominantSuit).addAllCards(List.of(cards))));
    }

    /** {@return the call of {@link Referee#compareCards(RoyalMatchSuit, RoyalMatchOrdering, RoyalMatchCard...)}} */
    public static Call compareCards(RoyalMatchSuit dominantSuit, RoyalMatchOrdering ordering, RoyalMatchCard... cards) {
        return call(call -> call.setCompareCards(CompareCardsRequest.newBuilder()
                .setDominantSuit(dominantSuit)
                .setOrdering(ordering)
                .addAllCards(List.of(cards))));
    }

    /** {@return the call of {@link Referee#listGames()}} */
    public static Call listGames() {
        return listGames(games -> {});
    }

    /** {@return the call of {@link Referee#listGames(Consumer)}} */
    public static Call listGames(Consumer<ListGamesRequest.Builder> games) {
        return call(call -> games.accept(call.getListGamesBuilder()));
    }

    /** {@return the call of {@link Referee#newGame(Consumer)}} */
    public static Call newGame(Consumer<NewGameRequest.Builder> game) {
        return call(call -> game.accept(call.getNewGameBuilder()));
    }

    /** {@return the call of {@link Referee#listLegalMoves(State)}} */
    public static Call listLegalMoves(State state) {
        return call(call ->
                call.setListLegalMoves(ListLegalMovesRequest.newBuilder().setState(state)));
    }

    /** {@return the call of {@link Referee#replayGame(State, List)}} */
    public static Call replayGame(State state, List<Move> moves) {
        return call(call -> call.setReplayGame(
                ReplayGameRequest.newBuilder().setState(state).addAllMoves(moves)));
    }

    /** {@return the call of {@link Referee#settleTrade(State, List, List, int...)}} */
    public static Call settleTrade(
            State state, List<TripleTriadCard> collectionOne, List<TripleTriadCard> collectionTwo, int... picks) {
        SettleTradeRequest.Builder request = SettleTradeRequest.newBuilder()
                .setState(state)
                .addAllCollectionOne(collectionOne)
                .addAllCollectionTwo(collectionTwo);
        for (int pick : picks) {
            request.addPicks(pick);
        }
        return call(call -> call.setSettleTrade(request));
    }

    /** {@return the call of {@link Referee#viewState(State, Player)}} */
    public static Call viewState(State state, Player viewer) {
        return call(call ->
                call.setViewState(ViewStateRequest.newBuilder().setState(state).setViewer(viewer)));
    }

    /** {@return the call of {@link Referee#renderState(State)}} */
    public static Call renderState(State state) {
        return call(call -> call.setRenderState(RenderStateRequest.newBuilder().setState(state)));
    }

    private static Call call(Consumer<Call.Builder> kind) {
        Call.Builder call = Call.newBuilder();
        kind.accept(call);
        return call.build();
    }
}
