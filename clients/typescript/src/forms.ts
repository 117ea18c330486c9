/** The forms that calls accept, as fields of messages. */
import type { MoveLike, StateLike } from "./types.js";

/** A state: its fields, or its notation. */
export function readState(state: StateLike): Exclude<StateLike, string> {
  return typeof state === "string" ? { kind: { case: "notation", value: state } } : state;
}

/** A move: its fields, or its notation. */
export function readMove(move: MoveLike): Exclude<MoveLike, string> {
  return typeof move === "string" ? { kind: { case: "notation", value: move } } : move;
}

/** A card of either card game: both have the field `notation`. */
export function readCard<C extends object>(card: C | string): C | { notation: string } {
  return typeof card === "string" ? { notation: card } : card;
}

/** A seed, which may be a number. */
export function readSeed(seed: bigint | number | undefined): bigint | undefined {
  return seed === undefined ? undefined : BigInt(seed);
}
