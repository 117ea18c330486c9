package io.arbiter.client;

import io.arbiter.v1.CompareCardsResponse;
import io.arbiter.v1.DetermineWinnerResponse;
import io.arbiter.v1.EndReason;
import io.arbiter.v1.Outcome;
import io.arbiter.v1.Player;
import io.arbiter.v1.QueenRooksCorner;
import io.arbiter.v1.RoyalMatchCard;
import io.arbiter.v1.RoyalMatchOrder;
import io.arbiter.v1.State;
import io.arbiter.v1.TripleTriadSquare;
import io.arbiter.v1.TripleTriadTransfer;
import java.util.Optional;

/**
 * The optional fields of responses as {@link Optional}. The generated getter of an absent field returns a default
 * value, such as {@code PLAYER_UNSPECIFIED}, which the service never sends.
 */
public final class OptionalFields {
    private OptionalFields() {}

    /** {@return the winner; empty if there is none} */
    public static Optional<Player> winner(Outcome outcome) {
        return outcome.hasWinner() ? Optional.of(outcome.getWinner()) : Optional.empty();
    }

    /** {@return the end reason; empty while the game goes on} */
    public static Optional<EndReason> endReason(Outcome outcome) {
        return outcome.hasEndReason() ? Optional.of(outcome.getEndReason()) : Optional.empty();
    }

    /** {@return the first state of the next round of sudden death; empty if there is none} */
    public static Optional<State> nextRound(DetermineWinnerResponse response) {
        return response.hasNextRound() ? Optional.of(response.getNextRound()) : Optional.empty();
    }

    /** {@return which of two cards wins; empty if there are more than two} */
    public static Optional<RoyalMatchOrder> order(CompareCardsResponse comparison) {
        return comparison.hasOrder() ? Optional.of(comparison.getOrder()) : Optional.empty();
    }

    /** {@return the strongest card; empty if there are two and they are equal} */
    public static Optional<RoyalMatchCard> winner(CompareCardsResponse comparison) {
        return comparison.hasWinner() ? Optional.of(comparison.getWinner()) : Optional.empty();
    }

    /** {@return the owner of the piece on a corner; empty if there was none} */
    public static Optional<Player> owner(QueenRooksCorner corner) {
        return corner.hasOwner() ? Optional.of(corner.getOwner()) : Optional.empty();
    }

    /** {@return the owner of the card on a square; empty if there is no card} */
    public static Optional<Player> owner(TripleTriadSquare square) {
        return square.hasOwner() ? Optional.of(square.getOwner()) : Optional.empty();
    }

    /** {@return the player whose collection a card leaves; empty if it was in neither} */
    public static Optional<Player> from(TripleTriadTransfer transfer) {
        return transfer.hasFrom() ? Optional.of(transfer.getFrom()) : Optional.empty();
    }
}
