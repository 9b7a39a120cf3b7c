import { describe, expect, it } from "vitest";
import { createRefusal } from "../../../src/core/errors.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

const messages = [{ role: "user", content: "Hi" }];
const schema = { type: "object", properties: { a: { enum: [1, null] } }, default: null };
const options = ["yes", "no"];
const gbnf = 'root ::= "a"+';
const anyObject = { type: "json-schema", schema: { type: "object" } };
const ofSchema = { type: "json-schema", schema };

function serve() {
  const engine = new ScriptedEngine(() => ({ parts: ["{}"] }));
  const { app } = buildTestApp(engine);
  const post = (payload: object) =>
    app.inject({ method: "POST", url: "/v1/chat/completions", payload });
  return { engine, post };
}

async function refused(fields: object) {
  const { post, engine } = serve();
  const response = await post({ messages, ...fields });
  expect(response.statusCode).toBe(400);
  expect(engine.requests).toEqual([]);
  return response.json<{ error: { code: string; message: string; param: string } }>().error;
}

/** Serialises a schema with the given number of nested levels. */
const deep = (levels: number) => `${'{"not":'.repeat(levels)}{}${"}".repeat(levels)}`;

describe("a chat completion's constraint", () => {
  it.each([
    [
      {
        response_format: { type: "json_schema", json_schema: { name: "n", schema, strict: true } },
      },
      "response_format.json_schema.schema",
      ofSchema,
    ],
    [
      { response_format: { type: "json_schema", json_schema: { schema: true } } },
      "response_format.json_schema.schema",
      { type: "json-schema", schema: true },
    ],
    [{ response_format: { type: "json_schema", schema } }, "response_format.schema", ofSchema],
    [{ response_format: { type: "json_object", schema } }, "response_format.schema", ofSchema],
    [
      { response_format: { type: "json_schema", json_schema: { name: "n" } } },
      "response_format",
      anyObject,
    ],
    [{ response_format: { type: "json_object" } }, "response_format", anyObject],
    [{ json_schema: schema }, "json_schema", ofSchema],
    [{ json_schema: false }, "json_schema", { type: "json-schema", schema: false }],
    [{ grammar: gbnf }, "grammar", { type: "gbnf", text: gbnf }],
    [{ structured_outputs: { json: schema } }, "structured_outputs.json", ofSchema],
    [{ structured_outputs: { json: JSON.stringify(schema) } }, "structured_outputs.json", ofSchema],
    [{ structured_outputs: { json_object: true } }, "structured_outputs.json_object", anyObject],
    [
      { structured_outputs: { regex: "a|b" } },
      "structured_outputs.regex",
      { type: "regex", pattern: "a|b" },
    ],
    [
      { structured_outputs: { choice: options } },
      "structured_outputs.choice",
      { type: "choice", options },
    ],
    [
      { structured_outputs: { grammar: gbnf } },
      "structured_outputs.grammar",
      { type: "gbnf", text: gbnf },
    ],
    [{ guided_json: schema }, "guided_json", ofSchema],
    [{ guided_json: JSON.stringify(schema) }, "guided_json", ofSchema],
    [{ guided_regex: "a|b" }, "guided_regex", { type: "regex", pattern: "a|b" }],
    [{ guided_choice: options }, "guided_choice", { type: "choice", options }],
    [{ guided_grammar: gbnf }, "guided_grammar", { type: "gbnf", text: gbnf }],
  ])("reaches the engine unchanged: %j", async (fields, field, constraint) => {
    const { post, engine } = serve();
    const response = await post({ messages, ...fields });
    expect(response.statusCode).toBe(200);
    expect(engine.requests[0]?.constraint).toEqual({ field, constraint });
  });

  it.each([
    {},
    { response_format: { type: "text" } },
    { response_format: { type: "text", schema } },
    { response_format: null, json_schema: null, grammar: null, structured_outputs: null },
    { guided_json: null, guided_regex: null, guided_choice: null, guided_grammar: null },
    { grammar: "" },
    { structured_outputs: {} },
    { structured_outputs: { json_object: false } },
    { structured_outputs: { json: null, regex: null, choice: null, grammar: null } },
  ])("is absent for %j", async (fields) => {
    const { post, engine } = serve();
    const response = await post({ messages, ...fields });
    expect(response.statusCode).toBe(200);
    expect(engine.requests[0]?.constraint).toBeUndefined();
  });

  it("can be combined with empty constraint fields", async () => {
    const { post, engine } = serve();
    const response = await post({
      messages,
      response_format: { type: "text" },
      grammar: "",
      structured_outputs: { json: null, json_object: false, choice: options },
      guided_json: null,
    });
    expect(response.statusCode).toBe(200);
    expect(engine.requests[0]?.constraint?.field).toBe("structured_outputs.choice");
  });

  it("treats null as absent in its optional fields", async () => {
    const { post, engine } = serve();
    const json_schema = { name: null, description: null, strict: null, schema };
    await post({ messages, response_format: { type: "json_schema", json_schema, schema: null } });
    expect(engine.requests[0]?.constraint?.constraint).toEqual(ofSchema);
  });

  it("is accepted with streaming", async () => {
    const { post, engine } = serve();
    const response = await post({ messages, stream: true, guided_choice: options });
    expect(response.headers["content-type"]).toContain("text/event-stream");
    expect(engine.requests[0]?.constraint?.field).toBe("guided_choice");
  });
});

describe("two constraints in one request", () => {
  it.each([
    [{ json_schema: schema, grammar: gbnf }, "grammar", "json_schema"],
    [
      { response_format: { type: "json_object" }, guided_regex: "a" },
      "guided_regex",
      "response_format",
    ],
    [
      { structured_outputs: { choice: options, regex: "a" } },
      "structured_outputs.choice",
      "structured_outputs.regex",
    ],
    [
      { structured_outputs: { json: schema }, guided_json: schema },
      "guided_json",
      "structured_outputs.json",
    ],
  ])("are rejected, even if equal: $0", async (fields, param, first) => {
    const { message, ...error } = await refused(fields);
    expect(error).toMatchObject({ code: "invalid_request", param });
    expect(message).toContain(`${param}: expected one constraint, got ${first} as well.`);
  });
});

describe("a constraint with tools", () => {
  it("reaches the engine together with the tools", async () => {
    const { post, engine } = serve();
    const tools = [{ type: "function", function: { name: "look" } }];
    expect((await post({ messages, json_schema: schema, tools })).statusCode).toBe(200);
    expect(engine.requests[0]?.constraint?.field).toBe("json_schema");
    expect(engine.requests[0]?.prompt.tools).toHaveLength(1);
  });
});

describe("an invalid constraint", () => {
  it.each<[object, string]>([
    [{ response_format: "json" }, 'response_format: expected an object, got "json".'],
    [{ response_format: [] }, "response_format: expected an object, got []."],
    [
      { response_format: {} },
      "response_format.type: expected one of text, json_object, json_schema, got nothing.",
    ],
    [
      { response_format: { type: "grammar" } },
      'response_format.type: expected one of text, json_object, json_schema, got "grammar".',
    ],
    [
      { response_format: { type: "json_schema" } },
      "response_format.json_schema: expected an object with a schema, got nothing.",
    ],
    [
      { response_format: { type: "json_schema", json_schema: null } },
      "response_format.json_schema: expected an object with a schema, got nothing.",
    ],
    [
      { response_format: { type: "json_schema", json_schema: "{}" } },
      'response_format.json_schema: expected an object with a schema, got "{}".',
    ],
    [
      { response_format: { type: "json_schema", json_schema: { schema: "{}" } } },
      'response_format.json_schema.schema: expected a JSON schema, got "{}".',
    ],
    [
      { response_format: { type: "json_schema", json_schema: { schema: [] } } },
      "response_format.json_schema.schema: expected a JSON schema, got [].",
    ],
    [
      { response_format: { type: "json_schema", json_schema: { schema, strict: "yes" } } },
      'response_format.json_schema.strict: expected true or false, got "yes".',
    ],
    [
      { response_format: { type: "json_object", schema: 3 } },
      "response_format.schema: expected a JSON schema, got 3.",
    ],
    [{ json_schema: "{}" }, 'json_schema: expected a JSON schema, got "{}".'],
    [{ grammar: { root: "a" } }, "grammar: expected a string, got"],
    [{ structured_outputs: "json" }, 'structured_outputs: expected an object, got "json".'],
    [
      { structured_outputs: { json: 3 } },
      "structured_outputs.json: expected a JSON schema, or its text, got 3.",
    ],
    [
      { structured_outputs: { json_object: 1 } },
      "structured_outputs.json_object: expected true or false, got 1.",
    ],
    [
      { structured_outputs: { regex: "" } },
      'structured_outputs.regex: expected a non-empty string, got "".',
    ],
    [
      { structured_outputs: { choice: [] } },
      "structured_outputs.choice: expected at least one text, got [].",
    ],
    [
      { structured_outputs: { choice: "a" } },
      'structured_outputs.choice: expected an array of strings, got "a".',
    ],
    [
      { structured_outputs: { grammar: "" } },
      'structured_outputs.grammar: expected a non-empty string, got "".',
    ],
    [{ guided_json: "" }, 'guided_json: expected a non-empty string, got "".'],
    [{ guided_json: '{"type":' }, "guided_json: expected a JSON schema, or its text: "],
    [
      { structured_outputs: { json: "nothing" } },
      "structured_outputs.json: expected a JSON schema, or its text: ",
    ],
    [{ guided_regex: 3 }, "guided_regex: expected a non-empty string, got 3."],
    [{ guided_choice: [] }, "guided_choice: expected at least one text, got []."],
    [{ guided_choice: ["a", ""] }, 'guided_choice.1: expected a non-empty string, got "".'],
    [{ guided_choice: ["a", 3] }, "guided_choice.1: expected a non-empty string, got 3."],
    [{ guided_grammar: [] }, "guided_grammar: expected a non-empty string, got []."],
  ])("is rejected with its path and the reason: %j", async (fields, message) => {
    const error = await refused(fields);
    expect(error).toMatchObject({ code: "invalid_request", param: message.split(":")[0] });
    expect(error.message).toContain(message);
  });

  const tooLarge =
    "expected a JSON schema of at most 128 levels, 40000 values and 12000 members of an object, got more.";

  it.each<[string, object, string]>([
    [
      "too many choices",
      { guided_choice: Array(10_001).fill("a") },
      "guided_choice: expected at most 10000 texts, got ",
    ],
    [
      "many invalid choices",
      { guided_choice: Array(10_000).fill(3) },
      "guided_choice.0: expected a non-empty string, got 3; ",
    ],
    ["a deeply nested schema in a string", { guided_json: deep(200) }, `guided_json: ${tooLarge}`],
    [
      "a very deeply nested schema in a string",
      { structured_outputs: { json: deep(100_000) } },
      `structured_outputs.json: ${tooLarge}`,
    ],
    [
      "a schema with too many values in a string",
      { guided_json: `{"enum":[${"1,".repeat(40_000)}1]}` },
      `guided_json: ${tooLarge}`,
    ],
  ])("is rejected for its size: %s", async (_, fields, message) => {
    const error = await refused(fields);
    expect(error).toMatchObject({ code: "invalid_request", param: message.split(":")[0] });
    expect(error.message).toContain(message);
  });

  it("is rejected as invalid JSON if nested too deeply", async () => {
    const error = await refused({ json_schema: JSON.parse(deep(200)) });
    expect(error.code).toBe("invalid_json");
  });
});

describe("a constraint that the engine rejects", () => {
  it.each([false, true])("returns 400 with its path, streaming: %j", async (stream) => {
    const field = "response_format.json_schema.schema.properties.a.contains";
    const engine = new ScriptedEngine(() => ({ parts: [] }));
    engine.prepare = async () => {
      throw createRefusal("invalid_request", [{ field, reason: "this keyword is not supported" }]);
    };
    const response = await buildTestApp(engine).app.inject({
      method: "POST",
      url: "/v1/chat/completions",
      payload: { messages, stream, json_schema: schema },
    });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      error: {
        code: "invalid_request",
        param: field,
        message: expect.stringContaining(`${field}: this keyword is not supported.`),
      },
    });
  });
});
