/** Runs cases over any transport: each on its own, and all of them as items of batches and of a stream. */
import {
  create,
  type DescMessage,
  type DescMethodStreaming,
  type DescMethodUnary,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { CallSchema, RulesService, type Answer as Item, type Call } from "arbiter-client";

import { checkAnswer, checkItem, readAnswer, readItem, type Answer } from "./answer.js";
import { readFile, type Case } from "./case.js";

/** Items per `EvaluateBatch`, well below the limit of the service. */
const BATCH = 100;
/** Calls in flight. */
const PARALLEL = 16;
/** The timeout of a call. */
const TIMEOUT_MS = 30_000;

/** The result of a run. */
export interface Report {
  /** The number of cases. */
  total: number;
  /** How many cases passed. */
  passed: number;
  /** How many of those were also sent as items. */
  items: number;
  /** The failures, as text. */
  failures: string[];
}

/** The options of a run. */
export interface Options {
  /** Whether the transport can stream requests. */
  streams: boolean;
}

/** Runs the cases of files, by name. An invalid file is a failure. */
export async function runFiles(
  transport: Transport,
  files: Iterable<[string, string]>,
  options: Options,
): Promise<Report> {
  const errors: string[] = [];
  const cases = [...files].flatMap(([name, text]) => readFile(name, text, errors));
  const report = await runCases(transport, cases, options);
  return { ...report, failures: [...errors, ...report.failures] };
}

/** Runs the cases. Without `streams`, skips those that are streams, and sends no items in a stream. */
export async function runCases(transport: Transport, cases: Case[], { streams }: Options): Promise<Report> {
  const failures: string[] = [];
  const passed: [Case, Answer][] = [];
  const supported = cases.filter(({ method }) => streams || method.methodKind === "unary");
  for (const chunk of chunks(supported, PARALLEL)) {
    const results = await Promise.all(chunk.map((one) => call(transport, one)));
    for (const [index, one] of chunk.entries()) {
      attempt(one.name, failures, () => {
        const answer = readAnswer(one, results[index] ?? []);
        checkAnswer(one, answer);
        passed.push([one, answer]);
      });
    }
  }

  const items = passed.flatMap(([one, alone]): ItemCase[] => {
    const call = toCall(one);
    return call === undefined ? [] : [{ one, alone, call }];
  });
  checkItems("EvaluateBatch", items, await sendBatches(transport, items), failures);
  if (streams) checkItems("Evaluate", items, await sendStream(transport, items), failures);
  return { total: supported.length, passed: passed.length, items: items.length, failures };
}

/** A case that can be an item, and its answer on its own. */
interface ItemCase {
  one: Case;
  alone: Answer;
  call: Call;
}

/** Sends the requests of a case, and returns all responses. */
async function call(transport: Transport, { method, request }: Case): Promise<Message[] | ConnectError> {
  try {
    if (method.methodKind !== "unary") return await stream(transport, method as DescMethodStreaming, request);
    return [await unary(transport, method as DescMethodUnary, request[0] ?? create(method.input))];
  } catch (error) {
    return ConnectError.from(error);
  }
}

async function unary(transport: Transport, method: DescMethodUnary, request: Message): Promise<Message> {
  const response = await transport.unary(method, undefined, TIMEOUT_MS, undefined, request);
  return response.message;
}

async function stream<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: DescMethodStreaming<I, O>,
  requests: MessageInitShape<I>[],
): Promise<MessageShape<O>[]> {
  async function* send() {
    await Promise.resolve();
    yield* requests;
  }
  const response = await transport.stream(method, undefined, TIMEOUT_MS, undefined, send());
  const messages: MessageShape<O>[] = [];
  for await (const message of response.message) messages.push(message);
  return messages;
}

async function sendBatches(transport: Transport, items: ItemCase[]): Promise<(Item | undefined)[]> {
  const answers: Item[] = [];
  const { evaluateBatch } = RulesService.method;
  for (const chunk of chunks(items, BATCH)) {
    const request = { calls: chunk.map(({ call }) => call) };
    const response = await transport.unary(evaluateBatch, undefined, TIMEOUT_MS, undefined, request);
    answers.push(...response.message.answers);
  }
  return answers;
}

async function sendStream(transport: Transport, items: ItemCase[]): Promise<(Item | undefined)[]> {
  const { evaluate } = RulesService.method;
  const requests = items.map(({ call }) => create(evaluate.input, { call }));
  return (await stream(transport, evaluate, requests)).map(({ answer }) => answer);
}

function checkItems(rpc: string, items: ItemCase[], answers: (Item | undefined)[], failures: string[]): void {
  if (answers.length !== items.length)
    failures.push(`${rpc}: ${answers.length} answers to ${items.length} items`);
  for (const [index, { one, alone }] of items.entries()) {
    attempt(`${one.name}, as an item of ${rpc}`, failures, () => {
      checkItem(one, alone, readItem(one, answers[index]));
    });
  }
}

/** The request of a case as an `arbiter.v1.Call`, if it can be one. */
function toCall({ method, request: [request] }: Case): Call | undefined {
  const field = CallSchema.fields.find((field) => field.message?.typeName === method.input.typeName);
  if (field === undefined || request === undefined) return undefined;
  return create(CallSchema, { kind: { case: field.localName, value: request } as never });
}

function attempt(name: string, failures: string[], check: () => void): void {
  try {
    check();
  } catch (error) {
    failures.push(`${name}\n${error instanceof Error ? error.message : String(error)}`);
  }
}

function* chunks<T>(items: T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
