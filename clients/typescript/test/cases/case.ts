/** Reads case files. `tests/cases/README.md` of the repository has the format. */
import {
  create,
  type DescField,
  type DescMessage,
  type DescMethod,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { ErrorReason, ErrorReasonSchema, ReasonSchema, RulesService, type Reason } from "arbiter-client";

import { removeFields } from "./ignore.js";
import { readMessage } from "./json.js";
import { isIndex, isList, isMessages, isObject, isString, isStrings, readObject } from "./shape.js";

/** One request and its expected answer. */
export interface Case {
  name: string;
  method: DescMethod;
  /** The messages to send: one, unless the call is a stream. */
  request: Message[];
  expected: Expected;
  /** The paths of the fields of the response that must be present with any value. */
  ignored: DescField[][];
}

/** An expected answer. */
export type Expected = { messages: Message[] } | ExpectedRefusal;

/** An expected refusal. */
export interface ExpectedRefusal {
  code: Code;
  /** If the message of a reason is empty, any message is accepted. */
  reasons: Reason[];
  moveIndex: number | undefined;
}

const STATUSES: Partial<Record<string, Code>> = {
  INVALID_ARGUMENT: Code.InvalidArgument,
  FAILED_PRECONDITION: Code.FailedPrecondition,
  RESOURCE_EXHAUSTED: Code.ResourceExhausted,
  UNIMPLEMENTED: Code.Unimplemented,
};

/** Reads the cases of one file. Adds the errors of invalid cases to `errors`, and reads the others. */
export function readFile(source: string, text: string, errors: string[]): Case[] {
  const cases: Case[] = [];
  attempt(source, errors, () => {
    const json = JSON.parse(text) as JsonValue;
    const file = readObject(json, { about: isString, cases: isList }, {});
    if (file.about === "" || file.cases.length === 0)
      throw new Error("a file needs an about and at least one case");
    const names = new Set<string>();
    for (const value of file.cases) {
      const name = isObject(value) && typeof value.name === "string" ? value.name : "";
      attempt(`${source}: ${name}`, errors, () => {
        if (name === "") throw new Error("a case needs a name");
        if (names.has(name)) throw new Error("there are two cases with this name");
        names.add(name);
        cases.push({ ...readCase(value), name: `${source}: ${name}` });
      });
    }
  });
  return cases;
}

function attempt(what: string, errors: string[], action: () => void): void {
  try {
    action();
  } catch (error) {
    errors.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

type CaseJson = ReturnType<typeof readCaseJson>;

function readCaseJson(json: JsonValue) {
  const required = { name: isString, rpc: isString, request: isMessages, status: isString };
  const optional = {
    clause: isString,
    response: isMessages,
    ignore: isStrings,
    reasons: isList,
    move_index: isIndex,
  };
  return readObject(json, required, optional);
}

function readCase(json: JsonValue): Case {
  const parsed = readCaseJson(json);
  if (parsed.clause?.includes("-") === false) throw new Error("a clause has the form of C4-2");
  const method = RulesService.methods.find((method) => method.name === parsed.rpc);
  if (method === undefined) throw new Error(`there is no call "${parsed.rpc}"`);
  const isStream = method.methodKind === "bidi_streaming";
  const request = readMessages(method.input, isStream, parsed.request);
  const ignored = (parsed.ignore ?? []).map((path) => readPath(method.output, path));
  const expected =
    parsed.status === "OK"
      ? { messages: readResponse(parsed, method.output, isStream, ignored) }
      : readRefusal(parsed);
  return { name: parsed.name, method, request, expected, ignored };
}

function readResponse(
  parsed: CaseJson,
  schema: DescMessage,
  isStream: boolean,
  ignored: DescField[][],
): Message[] {
  if (parsed.reasons !== undefined || parsed.move_index !== undefined) {
    throw new Error("reasons and move_index are only for a refusal");
  }
  if (parsed.response === undefined) throw new Error("OK needs a response");
  const messages = readMessages(schema, isStream, parsed.response);
  if (messages.some((message) => removeFields(schema, message, ignored).present > 0)) {
    throw new Error("an ignored field must not be in the response");
  }
  return messages;
}

function readRefusal({
  status,
  response,
  ignore,
  reasons = [],
  move_index: moveIndex,
}: CaseJson): ExpectedRefusal {
  if (response !== undefined || ignore !== undefined) {
    throw new Error("response and ignore are only for OK");
  }
  const code = Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
  if (code === undefined) throw new Error(`there is no status "${status}"`);
  if (reasons.length === 0) throw new Error("a refusal needs reasons");
  if (moveIndex !== undefined && code !== Code.FailedPrecondition) {
    throw new Error("move_index is only for FAILED_PRECONDITION");
  }
  return { code, reasons: reasons.map((reason) => readReason(reason, code)), moveIndex };
}

function readReason(json: JsonValue, status: Code): Reason {
  const optional = { field: isString, clause: isString, message: isString };
  const { code: name, field, clause, message } = readObject(json, { code: isString }, optional);
  const code = ErrorReasonSchema.values.find((value) => value.name === name)?.number as
    ErrorReason | undefined;
  if (!code) throw new Error(`there is no reason "${name}"`);
  const hasClause = status === Code.FailedPrecondition;
  const hasField = hasClause || status === Code.InvalidArgument;
  if ((field !== undefined) !== hasField || (clause !== undefined) !== hasClause) {
    throw new Error(
      `a reason of ${Code[status]} has field: ${String(hasField)}, clause: ${String(hasClause)}`,
    );
  }
  return create(ReasonSchema, { code, field: field ?? "", clause: clause ?? "", message: message ?? "" });
}

/** Reads requests or responses: a list of messages for a stream, otherwise one. */
function readMessages(schema: DescMessage, isStream: boolean, json: JsonValue): Message[] {
  if (isStream) {
    if (!isList(json)) throw new Error("the messages of a stream are a list");
    return json.map((item) => readMessage(schema, item));
  }
  if (!isObject(json)) throw new Error("a message is an object");
  return [readMessage(schema, json)];
}

/** Reads the path of a field, such as `games.summary`. */
function readPath(schema: DescMessage, path: string): DescField[] {
  const fields: DescField[] = [];
  let inside: DescMessage | undefined = schema;
  for (const name of path.split(".")) {
    if (inside === undefined) throw new Error(`"${path}": there are no fields before "${name}"`);
    const field: DescField | undefined = inside.fields.find((field) => field.name === name);
    if (field === undefined) throw new Error(`"${path}": ${inside.typeName} has no "${name}"`);
    inside = field.message;
    fields.push(field);
  }
  return fields;
}
