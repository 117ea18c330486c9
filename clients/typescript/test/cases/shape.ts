/** Checks the shape of JSON, so that a typo is an error instead of a test of nothing. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** Whether a value has a type. */
type Check<T extends JsonValue> = (value: JsonValue) => value is T;
type Shape = Record<string, Check<JsonValue>>;
type Checked<S extends Shape> = { [K in keyof S]: S[K] extends Check<infer T> ? T : never };

export const isString = (value: JsonValue): value is string => typeof value === "string";
export const isIndex = (value: JsonValue): value is number => Number.isInteger(value) && Number(value) >= 0;
export const isList = (value: JsonValue): value is JsonValue[] => Array.isArray(value);
export const isStrings = (value: JsonValue): value is string[] => isList(value) && value.every(isString);
export const isObject = (value: JsonValue): value is JsonObject => {
  return typeof value === "object" && value !== null && !Array.isArray(value);
};

/** A message, or the messages of a stream. */
export const isMessages = (value: JsonValue): value is JsonObject | JsonValue[] =>
  isObject(value) || isList(value);

/** Reads an object with all required keys, any of the optional ones, and no others. */
export function readObject<R extends Shape, O extends Shape>(
  value: JsonValue,
  required: R,
  optional: O,
): Checked<R> & Partial<Checked<O>> {
  if (!isObject(value)) throw new Error("expected an object");
  const shape = { ...required, ...optional };
  for (const [key, inner] of Object.entries(value)) {
    const check = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (check === undefined) throw new Error(`unknown key "${key}"`);
    if (!check(inner)) throw new Error(`"${key}" has the wrong type`);
  }
  const missing = Object.keys(required).find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) throw new Error(`missing key "${missing}"`);
  return value as Checked<R> & Partial<Checked<O>>;
}
