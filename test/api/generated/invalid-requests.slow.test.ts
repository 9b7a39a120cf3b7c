import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exceeds, JSON_LIMITS, measureJsonSize } from "../../../src/core/json-size.js";
import { mutationsIn } from "../../support/requests/invalid-value.js";
import { fieldsOf, requestNodeOf } from "../../support/requests/request-node.js";
import { validRequestWith } from "../../support/requests/valid-value.js";
import { AnsweringApp } from "./answering-app.js";
import { type RequestKind, requestKinds } from "./requests.js";

/** Runs per field. */
const RUNS = 3;
const LIMITS = { ...JSON_LIMITS, longestScalar: 4096 };

let app: AnsweringApp;
beforeAll(async () => {
  app = await AnsweringApp.open();
});
afterAll(() => app.close());

const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** Generates a request with one invalid value, and the path of that value. */
function mutated({ schema, prepare }: RequestKind) {
  const node = requestNodeOf(schema);
  return (
    fc
      .constantFrom(undefined, ...fieldsOf(node))
      .chain((field) =>
        fc.tuple(
          fc.constant(field),
          validRequestWith(node, field === undefined ? [] : [field]),
          share,
          share,
        ),
      )
      .map(([field, body, place, change]) => {
        const mutations = mutationsIn(node, body, field, place);
        return mutations[Math.floor(change * mutations.length)];
      })
      .filter((mutation) => mutation !== undefined)
      .map(({ path, within, body }) => ({ path, within, json: JSON.stringify(body) }))
      .filter(({ json }) => !exceeds(measureJsonSize(Buffer.from(json), LIMITS), LIMITS))
      // A value that the route treats as absent is valid.
      .filter(({ json }) => JSON.stringify(prepare(JSON.parse(json))) === json)
  );
}

describe("a request with an invalid value", () => {
  it.each(requestKinds)("is rejected with the path of the value: $method $url", async (kind) => {
    await fc.assert(
      fc.asyncProperty(mutated(kind), async ({ path, within, json }) => {
        const response = await app.send(kind, json);
        expect(response.statusCode).toBe(kind.refusedWith);
        const { message, field } = kind.refusal(response);
        expect(message).toMatch(/, got .*\.$/s);
        const at = within ?? (path === "" ? "body" : path);
        const start = within === undefined ? `${at}: expected ` : at;
        expect(message.slice(0, start.length)).toBe(start);
        if (within !== undefined) expect(field ?? within).toContain(within);
        else if (field !== undefined) expect([path, at]).toContain(field ?? "");
      }),
      { numRuns: RUNS * (1 + fieldsOf(requestNodeOf(kind.schema)).length) },
    );
  });
});
