import fc from "fast-check";
import { expect, test } from "vitest";
import { errorBody } from "../../../../src/api/todos/v1/schema.js";
import { JSON_TYPE, todosAppWith } from "./todos-app.js";

const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");
const path = fc.oneof(
  fc.constantFrom("/v1/todos", "/v1/todos/1", "/v1/todos/2", "/v1//todos/", "/v2/todos"),
  fc.webPath().map((suffix) => `/v1/todos${suffix}`),
  fc.string({ maxLength: 5 }).map((id) => `/v1/todos/${encodeURIComponent(id.toWellFormed())}`),
);
const parameter = fc.tuple(
  fc.constantFrom("limit", "cursor", "sort", "completed", "title", "__proto__", "x"),
  fc.oneof(fc.string(), fc.constantFrom("1", "100", "id", "-title,id", "true", "a")),
);
const query = fc.array(parameter, { maxLength: 3 }).map((pairs) => new URLSearchParams(pairs));
const headerValue = fc.oneof(
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  }),
  fc.constantFrom("*", '"a"', "v1", "v2", "key"),
);
const headers = fc.dictionary(
  fc.constantFrom("if-match", "if-none-match", "idempotency-key", "api-version", "prefer"),
  headerValue,
);
const field = fc.constantFrom("title", "completed", "id", "__proto__", "constructor", "x");
const body = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .dictionary(field, fc.oneof(fc.jsonValue(), fc.constantFrom("a", true)))
    .map((object) => JSON.stringify(object)),
);

test("any request to /v1/todos results in a success or a client error in one envelope", async () => {
  const app = await todosAppWith(["a", "b"]);
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      fc.record({ method, path, query, headers, body }),
      async ({ method, path, query, headers, body }) => {
        const hasBody = ["POST", "PUT", "PATCH"].includes(method);
        const response = await app.inject({
          method: method as "POST",
          url: `${path}?${query}`,
          headers: hasBody ? { ...headers, ...JSON_TYPE } : headers,
          ...(hasBody && { payload: body }),
        });
        seen.add(response.statusCode);
        expect(response.statusCode).toBeLessThan(500);
        if (response.statusCode >= 400 && method !== "HEAD") {
          expect(errorBody.parse(response.json())).toEqual(response.json());
        }
      },
    ),
    { numRuns: 500 },
  );
  expect([...seen]).toEqual(expect.arrayContaining([200, 400, 404, 405, 422]));
});
