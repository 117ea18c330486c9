/** Messages as JSON, and how two of them differ. */
import { create, fromJson, toJson, type DescMessage, type JsonValue, type Message } from "@bufbuild/protobuf";

/** Lines that are shown around a difference. */
const CONTEXT = 3;

/**
 * Reads a message. A field that the message does not have is an error, and so is a name in lowerCamelCase: one spelling
 * is enough.
 */
export function readMessage(schema: DescMessage, json: JsonValue): Message {
  const key = camelCaseKey(json);
  if (key !== undefined) {
    throw new Error(`"${key}" is no field of ${schema.typeName}: fields are written as in the .proto files`);
  }
  return fromJson(schema, json);
}

function camelCaseKey(json: JsonValue): string | undefined {
  if (json === null || typeof json !== "object") return undefined;
  if (!Array.isArray(json)) {
    const key = Object.keys(json).find((key) => /[A-Z]/.test(key));
    if (key !== undefined) return key;
  }
  return Object.values(json)
    .map(camelCaseKey)
    .find((key) => key !== undefined);
}

/** Writes a message, with the names of the fields as in the .proto files. */
export function writeMessage(schema: DescMessage, message: Message): JsonValue {
  return toJson(schema, create(schema, message), { useProtoFieldName: true });
}

/** Shows where two values differ: lines that are only wanted with `-`, lines that only came with `+`. */
export function diff(wanted: JsonValue, got: JsonValue): string {
  const [wantedLines, gotLines] = [lines(wanted), lines(got)];
  const shorter = Math.min(wantedLines.length, gotLines.length);
  let start = 0;
  while (start < shorter && wantedLines[start] === gotLines[start]) start += 1;
  let end = 0;
  while (end < shorter - start && wantedLines.at(-1 - end) === gotLines.at(-1 - end)) end += 1;

  const wantedEnd = wantedLines.length - end;
  const marked: [string, string[]][] = [
    [" ", wantedLines.slice(Math.max(0, start - CONTEXT), start)],
    ["-", wantedLines.slice(start, wantedEnd)],
    ["+", gotLines.slice(start, gotLines.length - end)],
    [" ", wantedLines.slice(wantedEnd, wantedEnd + CONTEXT)],
  ];
  return marked.flatMap(([mark, lines]) => lines.map((line) => `    ${mark} ${line}`)).join("\n");
}

function lines(value: JsonValue): string[] {
  return JSON.stringify(value, undefined, 2).split("\n");
}
