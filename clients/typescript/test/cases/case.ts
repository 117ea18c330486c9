/** Case files, read strictly. `tests/cases/README.md` of the project has the format. */
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

import { takeOut } from "./ignore.js";
import { readMessage } from "./json.js";
import { isIndex, isList, isMessages, isObject, isString, isStrings, readObject } from "./shape.js";

/** One request, and the answer that is wanted. */
export interface Case {
  name: string;
  method: DescMethod;
  /** The messages to send: one, unless the call is a stream. */
  request: Message[];
  wanted: Wanted;
  /** The fields of the answer that must be there with whatever value, each as the way to it. */
  ignored: DescField[][];
}

/** The answer that is wanted. */
export type Wanted = { messages: Message[] } | WantedRefusal;

/** A refusal that is wanted. */
export interface WantedRefusal {
  code: Code;
  /** A message that is empty may be any. */
  reasons: Reason[];
  moveIndex: number | undefined;
}

const STATUSES: Partial<Record<string, Code>> = {
  INVALID_ARGUMENT: Code.InvalidArgument,
  FAILED_PRECONDITION: Code.FailedPrecondition,
  RESOURCE_EXHAUSTED: Code.ResourceExhausted,
  UNIMPLEMENTED: Code.Unimplemented,
};

/** Reads the cases of one file. What is wrong goes to `errors`; the other cases are read all the same. */
export function readFile(source: string, text: string, errors: string[]): Case[] {
  const cases: Case[] = [];
  attempt(source, errors, () => {
    const json = JSON.parse(text) as JsonValue;
    const file = readObject(json, { about: isString, cases: isList }, {});
    if (file.about === "" || file.cases.length === 0) throw new Error("a file has an about and a case");
    const names = new Set<string>();
    for (const written of file.cases) {
      const name = isObject(written) && typeof written.name === "string" ? written.name : "";
      attempt(`${source}: ${name}`, errors, () => {
        if (name === "") throw new Error("a case has a name");
        if (names.has(name)) throw new Error("there are two cases of this name");
        names.add(name);
        cases.push({ ...readCase(written), name: `${source}: ${name}` });
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

type Written = ReturnType<typeof readWritten>;

function readWritten(json: JsonValue) {
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
  const written = readWritten(json);
  if (written.clause?.includes("-") === false) throw new Error("a clause is written like C4-2");
  const method = RulesService.methods.find((method) => method.name === written.rpc);
  if (method === undefined) throw new Error(`there is no call "${written.rpc}"`);
  const isStream = method.methodKind === "bidi_streaming";
  const request = readMessages(method.input, isStream, written.request);
  const ignored = (written.ignore ?? []).map((path) => readPath(method.output, path));
  const wanted =
    written.status === "OK"
      ? { messages: readResponse(written, method.output, isStream, ignored) }
      : readRefusal(written);
  return { name: written.name, method, request, wanted, ignored };
}

function readResponse(
  written: Written,
  schema: DescMessage,
  isStream: boolean,
  ignored: DescField[][],
): Message[] {
  if (written.reasons !== undefined || written.move_index !== undefined) {
    throw new Error("reasons and move_index are of a refusal, not of OK");
  }
  if (written.response === undefined) throw new Error("OK needs a response");
  const messages = readMessages(schema, isStream, written.response);
  if (messages.some((message) => takeOut(schema, message, ignored).there > 0)) {
    throw new Error("a field that is ignored must not be in the response");
  }
  return messages;
}

function readRefusal({
  status,
  response,
  ignore,
  reasons = [],
  move_index: moveIndex,
}: Written): WantedRefusal {
  if (response !== undefined || ignore !== undefined) {
    throw new Error("response and ignore are of OK, not of a refusal");
  }
  const code = Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
  if (code === undefined) throw new Error(`there is no status "${status}"`);
  if (reasons.length === 0) throw new Error("a refusal needs reasons");
  if (moveIndex !== undefined && code !== Code.FailedPrecondition) {
    throw new Error("move_index is of FAILED_PRECONDITION");
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

/** Reads what is sent or answered: a list of messages if it is a stream, otherwise one. */
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
