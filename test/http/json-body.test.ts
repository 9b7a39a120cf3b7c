import { describe, expect, it } from "vitest";
import { storeInMemory } from "../support/store-in-memory.js";
import { buildLoadingApp } from "../support/test-app.js";

const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
const list = (values: number) => `{"a":[${new Array(values).fill("1").join(",")}]}`;
const object = (members: number) =>
  `{${Array.from({ length: members }, (_, index) => `"m${index}":1`).join(",")}}`;

async function refusalOf(payload: string | Buffer) {
  const { app } = buildLoadingApp({ todos: storeInMemory() });
  const response = await app.inject({
    method: "POST",
    url: "/api/todos",
    headers: { "content-type": "application/json" },
    payload,
  });
  expect(response.statusCode).toBe(400);
  return response.json().error;
}

/** What a body that is read is refused for. */
const NO_TITLE = /title/;

describe("a body", () => {
  it("may have as many levels, values and digits as the limits", async () => {
    for (const body of [nested(128), list(39_990), object(12_000), `{"a":${"1".repeat(4000)}}`]) {
      expect(await refusalOf(body)).toMatch(NO_TITLE);
    }
  });

  it.each([
    ["levels", nested(129), "body: expected at most 128 levels of nesting, got more."],
    ["levels, whether or not it is JSON", "[".repeat(129), "at most 128 levels"],
    ["members", object(12_001), "body: expected at most 12000 members of an object, got more."],
    ["values", list(40_001), "body: expected at most 40000 values, got more."],
    [
      "digits",
      `{"a":${"1".repeat(5000)}}`,
      "body: expected numbers and white space of at most 4096 bytes, got more.",
    ],
    ["white space", `{"a":${" ".repeat(5000)}1}`, "of at most 4096 bytes"],
  ])("of more %s is refused", async (_, body, message) => {
    expect(await refusalOf(body)).toContain(message);
  });

  it("that is not UTF-8 is refused", async () => {
    const body = Buffer.from([0x22, 0xff, 0xfe, 0x22]);
    expect(await refusalOf(body)).toContain("body: expected JSON: ");
  });
});
