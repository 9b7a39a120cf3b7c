import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fieldsOf, requestNodeOf } from "../../support/requests/request-node.js";
import { validRequestWith } from "../../support/requests/valid-value.js";
import { AnsweringApp } from "./answering-app.js";
import { type RequestKind, requestKinds } from "./requests.js";

const RUNS = 10;
/** Placeholder for a value that JSON.stringify cannot write. */
const PLACE = "\u{10fffd}place";

const NOT_JSON = [
  "NaN",
  "Infinity",
  "-Infinity",
  "undefined",
  "'a'",
  "01",
  "1.",
  "[1,]",
  "{a:1}",
  "/**/1",
];
const TOO_DEEP = ["[".repeat(129) + "]".repeat(129), `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`];
const TOO_LONG = ["1".repeat(5000), `[${"0,".repeat(40_000)}0]`];
/** The last limit is the route's own, which is smaller for some. */
const TOO_LARGE = /^body: expected at most (40000 values|4096 bytes per number|\d+ bytes)/;
/** An invalid start byte, a surrogate, an overlong NUL, a truncated character and Latin-1. */
const NOT_UTF8 = ["ff", "eda080", "c080", "f09f98", "e9"].map((hex) => Buffer.from(hex, "hex"));
const QUOTE = Buffer.from('"');

let app: AnsweringApp;
beforeAll(async () => {
  app = await AnsweringApp.open();
});
afterAll(() => app.close());

/** Generates a valid request with arbitrary bytes as a field's value. */
function withBytes({ schema }: RequestKind, bytes: fc.Arbitrary<Buffer>) {
  const node = requestNodeOf(schema);
  return fc
    .tuple(validRequestWith(node, []), fc.constantFrom("x_unknown", ...fieldsOf(node)), bytes)
    .map(([body, field, inserted]) => {
      const json = JSON.stringify({ ...body, [field]: PLACE });
      const [before = "", behind = ""] = json.split(JSON.stringify(PLACE));
      return Buffer.concat([Buffer.from(before), inserted, Buffer.from(behind)]);
    });
}

/** Lists a request's fields that only accept numbers. */
function numberFields({ schema }: RequestKind): readonly string[] {
  const { described } = requestNodeOf(schema);
  if (described.type !== "object") throw new Error("a request is an object");
  return [...described.fields].flatMap(([name, field]) =>
    field.described.type === "number" ? [name] : [],
  );
}

async function expectRefusal(kind: RequestKind, body: Buffer, expected: RegExp): Promise<void> {
  const response = await app.send(kind, body);
  const isBeyondRouteLimit = response.statusCode === 413 && expected === TOO_LARGE;
  expect(response.statusCode).toBe(isBeyondRouteLimit ? 413 : 400);
  const { message, field } = kind.refusal(response);
  expect(message).toMatch(expected);
  expect(field ?? null).toBeNull();
}

describe.each(requestKinds)("the body of $method $url", (kind) => {
  it.each([
    ["is not JSON", /^body: expected JSON: /, NOT_JSON.map((text) => Buffer.from(text))],
    [
      "is nested too deeply",
      /^body: expected at most 128 levels /,
      TOO_DEEP.map((text) => Buffer.from(text)),
    ],
    ["is too large", TOO_LARGE, TOO_LONG.map((text) => Buffer.from(text))],
    [
      "is not UTF-8",
      /^body: expected JSON: /,
      NOT_UTF8.map((bytes) => Buffer.concat([QUOTE, bytes, QUOTE])),
    ],
  ])("is rejected if it %s", async (_, expected, inserted) => {
    await fc.assert(
      fc.asyncProperty(withBytes(kind, fc.constantFrom(...inserted)), (body) =>
        expectRefusal(kind, body, expected),
      ),
      { numRuns: RUNS },
    );
  });
});

describe("a number that overflows to infinity", () => {
  const cases = requestKinds.flatMap((kind) =>
    numberFields(kind).map((field) => ({ ...kind, field })),
  );

  it.each(cases)("is rejected with its path: $method $url, $field", async ({ field, ...kind }) => {
    for (const number of ["1e999", "-1e999"]) {
      const [body = {}] = fc.sample(validRequestWith(requestNodeOf(kind.schema), [field]), 1);
      const json = JSON.stringify({ ...body, [field]: PLACE });
      const response = await app.send(kind, json.replace(JSON.stringify(PLACE), number));
      expect(response.statusCode).toBe(kind.refusedWith);
      const { message } = kind.refusal(response);
      expect(message).toMatch(new RegExp(`^${field}: expected .*, got -?Infinity\\.$`));
    }
  });
});
