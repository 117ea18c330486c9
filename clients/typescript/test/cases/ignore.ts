/** Fields that are not compared. */
import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { isReflectMessage, reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";

/** How often a field was there, and how often it was not. */
export interface TakenOut {
  there: number;
  missing: number;
}

/** Takes fields out of a message, wherever the ways to them lead: through a list to each of its items. */
export function takeOut(schema: DescMessage, message: Message, ways: DescField[][]): TakenOut {
  const takenOut = { there: 0, missing: 0 };
  for (const way of ways) follow(reflect(schema, message), way, takenOut);
  return takenOut;
}

function follow(message: ReflectMessage, [field, ...rest]: DescField[], takenOut: TakenOut): void {
  if (field === undefined) return;
  const isSet = message.isSet(field);
  if (rest.length === 0) {
    takenOut[isSet ? "there" : "missing"] += 1;
    message.clear(field);
  } else if (isSet) {
    const inner: unknown = message.get(field);
    const messages = field.fieldKind === "list" ? [...(inner as Iterable<unknown>)] : [inner];
    for (const inner of messages) if (isReflectMessage(inner)) follow(inner, rest, takenOut);
  }
}
