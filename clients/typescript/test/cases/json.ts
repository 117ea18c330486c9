/** Reads and writes messages as JSON, and shows the difference of two. */
import { create, fromJson, toJson, type DescMessage, type JsonValue, type Message } from "@bufbuild/protobuf";

/** Lines shown around a difference. */
const CONTEXT = 3;

/** Reads a message. Unknown fields and names in lowerCamelCase are errors. */
export function readMessage(schema: DescMessage, json: JsonValue): Message {
  const key = camelCaseKey(json);
  if (key !== undefined) {
    throw new Error(`"${key}" is not a field of ${schema.typeName}: use the names of the .proto files`);
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

/** Writes a message, with the field names of the .proto files. */
export function writeMessage(schema: DescMessage, message: Message): JsonValue {
  return toJson(schema, create(schema, message), { useProtoFieldName: true });
}

/** Shows where two values differ: `-` marks lines that are only expected, `+` lines that are only received. */
export function diff(expected: JsonValue, got: JsonValue): string {
  const [expectedLines, gotLines] = [lines(expected), lines(got)];
  const shorter = Math.min(expectedLines.length, gotLines.length);
  let start = 0;
  while (start < shorter && expectedLines[start] === gotLines[start]) start += 1;
  let end = 0;
  while (end < shorter - start && expectedLines.at(-1 - end) === gotLines.at(-1 - end)) end += 1;

  const expectedEnd = expectedLines.length - end;
  const marked: [string, string[]][] = [
    [" ", expectedLines.slice(Math.max(0, start - CONTEXT), start)],
    ["-", expectedLines.slice(start, expectedEnd)],
    ["+", gotLines.slice(start, gotLines.length - end)],
    [" ", expectedLines.slice(expectedEnd, expectedEnd + CONTEXT)],
  ];
  return marked.flatMap(([mark, lines]) => lines.map((line) => `    ${mark} ${line}`)).join("\n");
}

function lines(value: JsonValue): string[] {
  return JSON.stringify(value, undefined, 2).split("\n");
}
