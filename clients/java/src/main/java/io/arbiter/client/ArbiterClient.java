package io.arbiter.client;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.arbiter.v1.ApplyMoveResponse;
import io.arbiter.v1.Call;
import io.arbiter.v1.CompareCardsResponse;
import io.arbiter.v1.DetermineWinnerResponse;
import io.arbiter.v1.EvaluateBatchRequest;
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
import io.arbiter.v1.RulesServiceGrpc;
import io.arbiter.v1.SettleTradeResponse;
import io.arbiter.v1.Square;
import io.arbiter.v1.State;
import io.arbiter.v1.SuggestMoveRequest;
import io.arbiter.v1.SuggestMoveResponse;
import io.arbiter.v1.TripleTriadCard;
import io.arbiter.v1.ValidateMoveResponse;
import io.arbiter.v1.ViewStateResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A client of an Arbiter service, over one connection, which the first call opens. Thread-safe. By default a call has a
 * deadline of 5 seconds ({@link #suggestMove(State)}: 10 seconds), and is retried if it fails with UNAVAILABLE;
 * {@link ArbiterClientBuilder} changes that. No call has side effects, so retries are safe.
 */
public final class ArbiterClient implements Referee, AutoCloseable {
    private final ManagedChannel channel;
    private final Deadlines deadlines;
    private final Optional<Token> token;

    ArbiterClient(ManagedChannel channel, Deadlines deadlines, Optional<Token> token) {
        this.channel = channel;
        this.deadlines = deadlines;
        this.token = token;
    }

    /** {@return a client of the service at {@code host:port}, without TLS} */
    public static ArbiterClient connect(String target) {
        return builder(target).build();
    }

    /** {@return a builder for a client of the service at {@code host:port}} */
    public static ArbiterClientBuilder builder(String target) {
        return new ArbiterClientBuilder(target);
    }

    /** {@return this client with another deadline for each call} The two share their connection: close one of them. */
    public ArbiterClient withDeadline(Duration deadline) {
        return new ArbiterClient(channel, Deadlines.of(deadline), token);
    }

    /** {@return this client without deadlines} The two share their connection: close one of them. */
    public ArbiterClient withoutDeadline() {
        return new ArbiterClient(channel, Deadlines.NONE, token);
    }

    /** Closes the connection. Calls in flight are cancelled. */
    @Override
    public void close() {
        channel.shutdownNow();
    }

    @Override
    public ValidateMoveResponse validateMove(State state, Move move) {
        return call(
                RulesServiceGrpc.getValidateMoveMethod(),
                Calls.validateMove(state, move).getValidateMove());
    }

    @Override
    public ApplyMoveResponse applyMove(State state, Move move) {
        return call(
                RulesServiceGrpc.getApplyMoveMethod(),
                Calls.applyMove(state, move).getApplyMove());
    }

    @Override
    public ResolveCapturesResponse resolveCaptures(State state) {
        return resolveCaptures(Calls.resolveCaptures(state));
    }

    @Override
    public ResolveCapturesResponse resolveCaptures(State state, Square arrivedAt) {
        return resolveCaptures(Calls.resolveCaptures(state, arrivedAt));
    }

    private ResolveCapturesResponse resolveCaptures(Call call) {
        return call(RulesServiceGrpc.getResolveCapturesMethod(), call.getResolveCaptures());
    }

    @Override
    public DetermineWinnerResponse determineWinner(State state) {
        return determineWinner(Calls.determineWinner(state));
    }

    @Override
    public DetermineWinnerResponse determineWinner(State state, long seed) {
        return determineWinner(Calls.determineWinner(state, seed));
    }

    private DetermineWinnerResponse determineWinner(Call call) {
        return call(RulesServiceGrpc.getDetermineWinnerMethod(), call.getDetermineWinner());
    }

    @Override
    public CompareCardsResponse compareCards(RoyalMatchSuit dominantSuit, RoyalMatchCard... cards) {
        return compareCards(Calls.compareCards(dominantSuit, cards));
    }

    @Override
    public CompareCardsResponse compareCards(
            RoyalMatchSuit dominantSuit, RoyalMatchOrdering ordering, RoyalMatchCard... cards) {
        return compareCards(Calls.compareCards(dominantSuit, ordering, cards));
    }

    private CompareCardsResponse compareCards(Call call) {
        return call(RulesServiceGrpc.getCompareCardsMethod(), call.getCompareCards());
    }

    @Override
    public ListGamesResponse listGames(Consumer<ListGamesRequest.Builder> games) {
        return call(
                RulesServiceGrpc.getListGamesMethod(), Calls.listGames(games).getListGames());
    }

    @Override
    public NewGameResponse newGame(Consumer<NewGameRequest.Builder> game) {
        return call(RulesServiceGrpc.getNewGameMethod(), Calls.newGame(game).getNewGame());
    }

    @Override
    public ListLegalMovesResponse listLegalMoves(State state) {
        return call(
                RulesServiceGrpc.getListLegalMovesMethod(),
                Calls.listLegalMoves(state).getListLegalMoves());
    }

    @Override
    public ReplayGameResponse replayGame(State state, List<Move> moves) {
        return call(
                RulesServiceGrpc.getReplayGameMethod(),
                Calls.replayGame(state, moves).getReplayGame());
    }

    @Override
    public SettleTradeResponse settleTrade(
            State state, List<TripleTriadCard> collectionOne, List<TripleTriadCard> collectionTwo, int... picks) {
        return call(
                RulesServiceGrpc.getSettleTradeMethod(),
                Calls.settleTrade(state, collectionOne, collectionTwo, picks).getSettleTrade());
    }

    @Override
    public ViewStateResponse viewState(State state, Player viewer) {
        return call(
                RulesServiceGrpc.getViewStateMethod(),
                Calls.viewState(state, viewer).getViewState());
    }

    @Override
    public RenderStateResponse renderState(State state) {
        return call(
                RulesServiceGrpc.getRenderStateMethod(),
                Calls.renderState(state).getRenderState());
    }

    @Override
    public SuggestMoveResponse suggestMove(State state, Consumer<SuggestMoveRequest.Builder> options) {
        SuggestMoveRequest.Builder request = SuggestMoveRequest.newBuilder().setState(state);
        options.accept(request);
        return call(RulesServiceGrpc.getSuggestMoveMethod(), request.build());
    }

    @Override
    public List<Reply> evaluateBatch(List<Call> calls) {
        EvaluateBatchRequest request =
                EvaluateBatchRequest.newBuilder().addAllCalls(calls).build();
        return call(RulesServiceGrpc.getEvaluateBatchMethod(), request).getAnswersList().stream()
                .map(Reply::new)
                .toList();
    }

    /** {@return a stream of calls and their answers, without a deadline} */
    public EvaluateStream evaluate() {
        return new EvaluateStream(channelOfCall(), CallOptions.DEFAULT);
    }

    /** {@return a stream of calls and their answers, with a deadline for the whole stream} */
    public EvaluateStream evaluate(Duration deadline) {
        return new EvaluateStream(channelOfCall(), options(Optional.of(Deadlines.positive(deadline))));
    }

    private <Q, A> A call(MethodDescriptor<Q, A> method, Q request) {
        // Outside the try block: an exception of the token supplier is thrown unchanged.
        Channel channel = channelOfCall();
        try {
            return ClientCalls.blockingUnaryCall(channel, method, options(deadlines.of(method)), request);
        } catch (StatusRuntimeException failure) {
            throw Failures.read(failure);
        }
    }

    /** The channel, with the current token. */
    private Channel channelOfCall() {
        return token.map(token -> ClientInterceptors.intercept(channel, token.interceptor()))
                .orElse(channel);
    }

    private static CallOptions options(Optional<Duration> deadline) {
        return deadline.map(time -> CallOptions.DEFAULT.withDeadlineAfter(time.toNanos(), NANOSECONDS))
                .orElse(CallOptions.DEFAULT);
    }
}
