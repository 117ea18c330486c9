package io.arbiter.client;

import io.arbiter.v1.Move;
import io.arbiter.v1.RoyalMatchCard;
import io.arbiter.v1.State;
import io.arbiter.v1.TripleTriadCard;
import java.util.List;
import java.util.stream.Stream;

/** Creates messages from notation. The service parses the notation. */
public final class Notation {
    private Notation() {}

    /** {@return a state as text, such as {@code c4:7x6x4:4453}} */
    public static State state(String text) {
        return State.newBuilder().setNotation(text).build();
    }

    /** {@return a move as text, such as {@code 4} in Connect Four} */
    public static Move move(String text) {
        return Move.newBuilder().setNotation(text).build();
    }

    /** {@return moves as text, in order} */
    public static List<Move> moves(String... texts) {
        return Stream.of(texts).map(Notation::move).toList();
    }

    /** {@return a card of Triple Triad as text, such as {@code 54}, the number of a built-in card} */
    public static TripleTriadCard tripleTriadCard(String text) {
        return TripleTriadCard.newBuilder().setNotation(text).build();
    }

    /** {@return a card of RoyalMatch as text, such as {@code 10H}} */
    public static RoyalMatchCard royalMatchCard(String text) {
        return RoyalMatchCard.newBuilder().setNotation(text).build();
    }

    static RoyalMatchCard[] royalMatchCards(String... texts) {
        return Stream.of(texts).map(Notation::royalMatchCard).toArray(RoyalMatchCard[]::new);
    }
}
