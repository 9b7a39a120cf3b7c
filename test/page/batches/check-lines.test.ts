import { describe, expect, it } from "vitest";
import { ENDPOINTS as servedEndpoints } from "../../../src/api/batches/schema.js";
import {
  ENDPOINTS,
  findEndpoint,
  findLineProblem,
  readFirstLines,
} from "../../../src/page/batches/check-lines.js";
import { chatLine } from "../../support/batch-options.js";

const CHAT = "/v1/chat/completions";

const line = (fields: object) =>
  JSON.stringify({ custom_id: "a", method: "POST", url: CHAT, body: {}, ...fields });

describe("the check of a file before its upload", () => {
  it("knows the endpoints of the server", () => {
    expect(ENDPOINTS).toEqual(servedEndpoints);
  });

  it("accepts valid and empty lines", () => {
    expect(findLineProblem([chatLine("a", "x"), "", chatLine("b", "x")], CHAT)).toBeUndefined();
  });

  it.each([
    ["{", "expected a JSON object"],
    ["[]", "expected a JSON object"],
    [line({ custom_id: 1 }), "custom_id: expected a string of 1 to 512 characters, got 1"],
    [
      line({ custom_id: undefined }),
      "custom_id: expected a string of 1 to 512 characters, got nothing",
    ],
    [line({ method: "GET" }), 'method: expected "POST", got "GET"'],
    [line({ url: "/v1/x" }), `url: expected "${CHAT}", got "/v1/x"`],
    [line({ body: [] }), "body: expected a JSON object, got an array"],
    [
      line({ body: { stream: true } }),
      "body.stream: expected false or nothing in a batch, got true",
    ],
    [line({ custom_id: "first" }), "custom_id: expected a unique value, got that of line 1"],
  ])("finds the error of the line %s", (text, problem) => {
    expect(findLineProblem([chatLine("first", "x"), text], CHAT)).toEqual({ line: 2, problem });
  });

  it("reads the first 20 lines, without one that is incomplete", async () => {
    expect(await readFirstLines(new Blob(["a\nb"]))).toEqual(["a", "b"]);
    expect(await readFirstLines(new Blob([`a\n${"b".repeat(300_000)}`]))).toEqual(["a"]);
    expect(await readFirstLines(new Blob(["a\n".repeat(100)]))).toHaveLength(20);
  });

  it.each([
    [[chatLine("a", "x")], CHAT],
    [["", line({ url: "/v1/embeddings" })], "/v1/embeddings"],
    [[line({ url: "/v1/todos" })], undefined],
    [["{"], undefined],
    [[], undefined],
  ] as const)("takes the endpoint from the first request: %j", (lines, endpoint) => {
    expect(findEndpoint(lines)).toBe(endpoint);
  });
});
