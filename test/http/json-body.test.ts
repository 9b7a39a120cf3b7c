import { fastify } from "fastify";
import { describe, expect, it } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import { toJsonText } from "../../src/core/json.js";
import {
  type ParseLargeJson,
  readJsonBodies,
  setLargeJsonParser,
} from "../../src/http/json-body.js";
import { parseJson } from "../../src/http/parse-json.js";
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

/** Reason for rejecting a body after reading it. */
const NO_TITLE = /title/;

describe("a JSON body", () => {
  it("may have as many levels, values and digits as the limits", async () => {
    for (const body of [nested(128), list(39_990), object(12_000), `{"a":${"1".repeat(4000)}}`]) {
      expect(await refusalOf(body)).toMatch(NO_TITLE);
    }
  });

  it.each([
    ["levels", nested(129), "body: expected at most 128 levels of nesting, got more."],
    ["levels, even if it is not valid JSON", "[".repeat(129), "at most 128 levels"],
    ["members", object(12_001), "body: expected at most 12000 members of an object, got more."],
    ["values", list(40_001), "body: expected at most 40000 values, got more."],
    [
      "digits",
      `{"a":${"1".repeat(5000)}}`,
      "body: expected at most 4096 bytes per number or run of white space, got more.",
    ],
    ["white space", `{"a":${" ".repeat(5000)}1}`, "at most 4096 bytes"],
  ])("with too many %s is rejected", async (_, body, message) => {
    expect(await refusalOf(body)).toContain(message);
  });

  it("that is not UTF-8 is rejected", async () => {
    const body = Buffer.from([0x22, 0xff, 0xfe, 0x22]);
    expect(await refusalOf(body)).toContain("body: expected JSON: ");
  });
});

const LARGE = "x".repeat(256 * 1024);

/** An application that returns the JSON text of the body's `input`. */
function appWith(parseLargeJson: ParseLargeJson) {
  const app = fastify();
  setLargeJsonParser(app, parseLargeJson);
  readJsonBodies(app, { verbatimMembers: ["input"] });
  app.post("/", async ({ body }) => toJsonText((body as { readonly input: object }).input));
  app.get("/", async () => "here");
  const post = (payload: string) =>
    app.inject({
      ...{ method: "POST", url: "/", payload },
      headers: { "content-type": "application/json" },
    });
  return { app, post };
}

describe("a large JSON body", () => {
  it("is parsed in a worker thread, unlike a small body", async () => {
    const parsed: number[] = [];
    const { post } = appWith(async (bytes, written) => {
      parsed.push(bytes.length);
      return structuredClone(parseJson(bytes, written));
    });
    const small = '{"input":{"n":1.0}}';
    expect((await post(small)).body).toBe('{"n":1.0}');
    expect(parsed).toEqual([]);
    const large = `{"input":{"n":1.0},"text":"${LARGE}"}`;
    expect((await post(large)).body).toBe('{"n":1.0}');
    expect(parsed).toEqual([large.length]);
  });

  it("does not block other requests during parsing", async () => {
    let begin = () => {};
    let end = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { app, post } = appWith(async (bytes, written) => {
      begin();
      await ended;
      return parseJson(bytes, written);
    });
    const [answer] = await Promise.all([
      post(`{"input":{},"text":"${LARGE}"}`).then(({ body }) => body),
      begun
        .then(() => app.inject("/"))
        .then(({ body }) => {
          expect(body).toBe("here");
          end();
        }),
    ]);
    expect(answer).toBe("{}");
  });

  it("is rejected with the reason", async () => {
    const { post } = appWith(async () => {
      throw new GgufdError("invalid_json", "body: expected JSON: no more.");
    });
    expect((await post(`"${LARGE}"`)).json()).toMatchObject({
      message: "body: expected JSON: no more.",
    });
  });
});
