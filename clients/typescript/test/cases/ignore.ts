/** Removes fields that are not compared. */
import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { isReflectMessage, reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";

/** How often a field was present, and how often it was missing. */
export interface Removed {
  present: number;
  missing: number;
}

/** Removes fields from a message. A path through a list leads to each of its items. */
export function removeFields(schema: DescMessage, message: Message, paths: DescField[][]): Removed {
  const removed = { present: 0, missing: 0 };
  for (const path of paths) follow(reflect(schema, message), path, removed);
  return removed;
}

function follow(message: ReflectMessage, [field, ...rest]: DescField[], removed: Removed): void {
  if (field === undefined) return;
  const isSet = message.isSet(field);
  if (rest.length === 0) {
    removed[isSet ? "present" : "missing"] += 1;
    message.clear(field);
  } else if (isSet) {
    const inner: unknown = message.get(field);
    const messages = field.fieldKind === "list" ? [...(inner as Iterable<unknown>)] : [inner];
    for (const inner of messages) if (isReflectMessage(inner)) follow(inner, rest, removed);
  }
}
