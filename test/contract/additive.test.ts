import { describe, expect, it } from "vitest";
import { breakingChanges, type OpenApiDocument } from "./additive.js";

type Json = Readonly<Record<string, unknown>>;

/** A description of one operation, `POST /things`. */
function description(operation: Json, components: Json = {}): OpenApiDocument {
  return {
    openapi: "3.1.1",
    servers: [{ url: "/" }],
    paths: { "/things": { post: { operationId: "makeThing", ...operation } } },
    components,
  };
}

const asking = (schema: unknown) => description({ requestBody: body(schema) });
const answering = (schema: unknown) =>
  description({ responses: { 200: { description: "ok", ...body(schema) } } });
const body = (schema: unknown) => ({ content: { "application/json": { schema } } });
const object = (properties: Json, rest: Json = {}) => ({ type: "object", properties, ...rest });
const withParameters = (...parameters: Json[]) => description({ parameters });
const limit = (rest: Json = {}, schema: Json = { type: "integer" }) => ({
  name: "limit",
  in: "query",
  schema,
  ...rest,
});

const text = { type: "string" };
const number = { type: "number" };

describe("what breaks a client's request", () => {
  it.each<[string, unknown, unknown, string]>([
    ["a narrower type", { type: ["string", "null"] }, text, "the type of the value was narrowed"],
    ["another type", text, number, "the type of the value was narrowed from string to number"],
    ["a type where there was none", {}, text, "the type of the value was narrowed"],
    ["integers for numbers", number, { type: "integer" }, "the type of the value was narrowed"],
    [
      "a value that is gone",
      { enum: ["a", "b"] },
      { enum: ["a"] },
      'the value takes no longer "b"',
    ],
    ["a list of values", text, { type: "string", enum: ["a"] }, 'the value was restricted to "a"'],
    ["another constant", { const: 1 }, { const: 2 }, "the value takes no longer 1"],
    ["a higher minimum", { minimum: 1 }, { minimum: 2 }, "minimum of the value went from 1 to 2"],
    ["a new minimum", {}, { minimum: 2 }, "minimum of the value went from none to 2"],
    ["a lower maximum", { maximum: 9 }, { maximum: 8 }, "maximum of the value went from 9 to 8"],
    ["a new strict bound", {}, { exclusiveMaximum: 8 }, "exclusiveMaximum of the value went"],
    [
      "shorter texts",
      { maxLength: 9 },
      { maxLength: 8 },
      "maxLength of the value went from 9 to 8",
    ],
    ["longer texts", { minLength: 1 }, { minLength: 2 }, "minLength of the value went from 1 to 2"],
    ["fewer items", {}, { maxItems: 4 }, "maxItems of the value went from none to 4"],
    ["more properties", {}, { minProperties: 1 }, "minProperties of the value went"],
    ["a pattern", text, { ...text, pattern: "^a" }, "pattern of the value was added"],
    ["another pattern", { pattern: "a" }, { pattern: "b" }, "pattern of the value was changed"],
    ["a format", text, { ...text, format: "uuid" }, "format of the value was added"],
    ["a prohibition", {}, { not: { const: 0 } }, "not of the value was added"],
    ["unique items", {}, { uniqueItems: true }, "uniqueItems of the value was added"],
    [
      "another default",
      { default: 1 },
      { default: 2 },
      "the default of the value went from 1 to 2",
    ],
    ["a default that is gone", { default: 1 }, {}, "the default of the value went from 1 to none"],
    ["a keyword nobody knows", {}, { fancy: 1 }, "fancy of the value was changed"],
    [
      "a property that is gone",
      object({ a: text, b: text }),
      object({ a: text }),
      "property b was removed",
    ],
    [
      "a property of another type",
      object({ a: object({ b: text }) }),
      object({ a: object({ b: number }) }),
      "the type of property a.b was narrowed from string to number",
    ],
    [
      "a new required property",
      object({}),
      object({ a: text }, { required: ["a"] }),
      "property a became required",
    ],
    [
      "a property that becomes required",
      object({ a: text }),
      object({ a: text }, { required: ["a"] }),
      "property a became required",
    ],
    [
      "other properties that are refused",
      object({}),
      object({}, { additionalProperties: false }),
      "property * is not allowed any more",
    ],
    [
      "other properties of fewer types",
      object({}, { additionalProperties: {} }),
      object({}, { additionalProperties: text }),
      "the type of property * was narrowed",
    ],
    [
      "fewer names",
      object({}),
      object({}, { propertyNames: { pattern: "^a" } }),
      "pattern of property (names) was added",
    ],
    [
      "items of another type",
      { type: "array", items: text },
      { type: "array", items: number },
      "the type of property [] was narrowed from string to number",
    ],
    [
      "an alternative that is gone",
      { anyOf: [text, object({ a: text })] },
      { anyOf: [text] },
      "the type of the value was narrowed from string or object to string",
    ],
    [
      "an alternative that is narrower",
      { oneOf: [object({ a: text }), object({ b: text })] },
      { oneOf: [object({ a: text }), object({ b: number })] },
      "the value takes no longer",
    ],
  ])("%s", (_what, before, after, message) => {
    expect(breakingChanges(asking(before), asking(after))).toContainEqual(
      expect.stringContaining(`POST /things: request: ${message}`),
    );
  });

  it.each<[string, OpenApiDocument, OpenApiDocument, string]>([
    [
      "a new required parameter",
      withParameters(),
      withParameters(limit({ required: true })),
      "query parameter limit was added and is required",
    ],
    [
      "a parameter that becomes required",
      withParameters(limit()),
      withParameters(limit({ required: true })),
      "query parameter limit became required",
    ],
    [
      "a parameter that is gone",
      withParameters(limit()),
      withParameters(),
      "query parameter limit was removed",
    ],
    [
      "a parameter that moved",
      withParameters(limit()),
      withParameters(limit({ in: "header" })),
      "query parameter limit was removed",
    ],
    [
      "a parameter that takes less",
      withParameters(limit()),
      withParameters(limit({}, { type: "integer", maximum: 100 })),
      "query parameter limit: maximum of the value went from none to 100",
    ],
    [
      "a parameter that is written in another way",
      withParameters(limit()),
      withParameters(limit({ explode: false })),
      "query parameter limit: explode was changed",
    ],
    [
      "a new required body",
      description({}),
      description({ requestBody: { ...body(text), required: true } }),
      "request: a body became required",
    ],
    [
      "a body that becomes required",
      asking(text),
      description({ requestBody: { ...body(text), required: true } }),
      "request: the body became required",
    ],
    ["a body that is gone", asking(text), description({}), "request: the body was removed"],
    [
      "a media type that is gone",
      asking(text),
      description({ requestBody: { content: { "text/plain": { schema: text } } } }),
      "request: application/json was removed",
    ],
  ])("%s", (_what, before, after, message) => {
    expect(breakingChanges(before, after)).toContain(`POST /things: ${message}`);
  });
});

describe("what breaks who reads an answer", () => {
  it.each<[string, unknown, unknown, string]>([
    ["a wider type", text, { type: ["string", "null"] }, "the type of the value was widened"],
    ["another type", text, number, "the type of the value was widened from string to number"],
    ["a type that is gone", text, {}, "the type of the value was widened"],
    ["numbers for integers", { type: "integer" }, number, "the type of the value was widened"],
    ["a new value", { enum: ["a"] }, { enum: ["a", "b"] }, 'the value may now be "b"'],
    ["any value", { enum: ["a"] }, text, 'the value is not restricted any more to "a"'],
    ["a lower minimum", { minimum: 2 }, { minimum: 1 }, "minimum of the value went from 2 to 1"],
    ["no maximum", { maximum: 9 }, {}, "maximum of the value went from 9 to none"],
    ["longer texts", { maxLength: 8 }, { maxLength: 9 }, "maxLength of the value went from 8 to 9"],
    ["no pattern", { pattern: "a" }, {}, "pattern of the value was removed"],
    ["another format", { format: "date" }, { format: "uuid" }, "format of the value was changed"],
    [
      "a property that is gone",
      object({ a: text, completed: text }, { required: ["completed"] }),
      object({ a: text }),
      "property completed was removed",
    ],
    [
      "a property that is no longer required",
      object({ a: text }, { required: ["a"] }),
      object({ a: text }),
      "property a is no longer required",
    ],
    [
      "a property of a wider type, in a list",
      object({ data: { type: "array", items: object({ a: text }) } }),
      object({ data: { type: "array", items: object({ a: { type: ["string", "null"] } }) } }),
      "the type of property data[].a was widened",
    ],
    [
      "other properties of more types",
      object({}, { additionalProperties: text }),
      object({}),
      "the type of property * was widened",
    ],
    [
      "other properties where there were none",
      object({}, { additionalProperties: false }),
      object({}),
      "property * may be there now",
    ],
    [
      "a new alternative",
      { anyOf: [object({ a: text }, { required: ["a"] })] },
      {
        anyOf: [object({ a: text }, { required: ["a"] }), object({ b: text }, { required: ["b"] })],
      },
      "the value may now be",
    ],
  ])("%s", (_what, before, after, message) => {
    expect(breakingChanges(answering(before), answering(after))).toContainEqual(
      expect.stringContaining(`POST /things: response 200: ${message}`),
    );
  });

  const withHeader = (headers: Json) => description({ responses: { 200: { headers } } });
  const etag = { required: true, schema: text };

  it.each<[string, OpenApiDocument, OpenApiDocument, string]>([
    [
      "a status that is gone",
      answering(text),
      description({ responses: {} }),
      "response 200 was removed",
    ],
    [
      "a media type that is gone",
      answering(text),
      description({ responses: { 200: {} } }),
      "response 200: application/json was removed",
    ],
    [
      "a header that is gone",
      withHeader({ ETag: etag }),
      withHeader({}),
      "response 200: header etag was removed",
    ],
    [
      "a header that is no longer required",
      withHeader({ ETag: etag }),
      withHeader({ ETag: { schema: text } }),
      "response 200: header etag is no longer required",
    ],
    [
      "a header of another type",
      withHeader({ ETag: etag }),
      withHeader({ ETag: { ...etag, schema: number } }),
      "response 200: header etag: the type of the value was widened from string to number",
    ],
  ])("%s", (_what, before, after, message) => {
    expect(breakingChanges(before, after)).toContain(`POST /things: ${message}`);
  });
});

describe("what breaks everybody", () => {
  const keys = { bearer: [] };

  it.each<[string, OpenApiDocument, OpenApiDocument, string]>([
    [
      "a path that is gone",
      description({}),
      { ...description({}), paths: {} },
      "/things was removed",
    ],
    [
      "an operation that is gone",
      description({}),
      { ...description({}), paths: { "/things": { get: {} } } },
      "POST /things was removed",
    ],
    [
      "an operation with another name",
      description({}),
      description({ operationId: "createThing" }),
      "POST /things: operationId went from makeThing to createThing",
    ],
    [
      "a key where none was needed",
      description({}),
      description({ security: [keys] }),
      "POST /things: security: no key is not enough any more",
    ],
    [
      "a key that is not taken any more",
      description({ security: [{ apiKey: [] }, keys] }),
      description({ security: [keys] }),
      "POST /things: security: apiKey is not enough any more",
    ],
    [
      "a second key",
      description({ security: [keys] }),
      description({ security: [{ ...keys, apiKey: [] }] }),
      "POST /things: security: bearer is not enough any more",
    ],
    [
      "another scope",
      description({ security: [{ bearer: ["read"] }] }),
      description({ security: [{ bearer: ["read", "write"] }] }),
      "POST /things: security: bearer is not enough any more",
    ],
    [
      "a server that is gone",
      description({}),
      { ...description({}), servers: [{ url: "/elsewhere" }] },
      "server / was removed",
    ],
    [
      "a key that is shown in another way",
      description({}, { securitySchemes: { key: { type: "apiKey", in: "header", name: "a" } } }),
      description({}, { securitySchemes: { key: { type: "apiKey", in: "header", name: "b" } } }),
      "security scheme key was changed",
    ],
    [
      "a way of showing keys that is gone",
      description({}, { securitySchemes: { key: { type: "http" } } }),
      description({}, { securitySchemes: {} }),
      "security scheme key was removed",
    ],
  ])("%s", (_what, before, after, message) => {
    expect(breakingChanges(before, after)).toContain(message);
  });
});

describe("what only adds", () => {
  it.each<[string, unknown, unknown]>([
    ["a wider type", text, { type: ["string", "null"] }],
    ["numbers for integers", { type: "integer" }, number],
    ["a new value", { enum: ["a"] }, { enum: ["a", "b"] }],
    ["any value", { enum: ["a"] }, text],
    ["wider bounds", { minimum: 2, maxLength: 3 }, { minimum: 1, maxLength: 4 }],
    ["no bounds", { minimum: 2, pattern: "a", not: { const: 3 }, uniqueItems: true }, {}],
    ["a new optional property", object({ a: text }), object({ a: text, b: text })],
    [
      "a property that becomes optional",
      object({ a: text }, { required: ["a"] }),
      object({ a: text }),
    ],
    ["a new alternative", { anyOf: [text] }, { anyOf: [text, number] }],
    ["an alternative to the only form", text, { anyOf: [text, number] }],
    [
      "any name for a property",
      object({ a: text }, { additionalProperties: text }),
      object({}, { additionalProperties: text }),
    ],
    ["a new default", {}, { default: 1 }],
    ["what is taken again", object({}, { additionalProperties: false }), object({})],
    ["other words", { ...text, description: "x" }, { ...text, description: "y", deprecated: true }],
    [
      "a type for its alternatives",
      { anyOf: [text, { type: "null" }] },
      { type: ["string", "null"] },
    ],
  ])("to a request: %s", (_what, before, after) => {
    expect(breakingChanges(asking(before), asking(after))).toEqual([]);
  });

  it.each<[string, unknown, unknown]>([
    ["a narrower type", { type: ["string", "null"] }, text],
    ["integers for numbers", number, { type: "integer" }],
    ["a value less", { enum: ["a", "b"] }, { enum: ["a"] }],
    ["narrower bounds", { minimum: 1, maxLength: 4 }, { minimum: 2, maxLength: 3 }],
    ["a pattern", text, { ...text, pattern: "a" }],
    ["a new property", object({ a: text }), object({ a: text, b: text }, { required: ["b"] })],
    [
      "a property that is always there",
      object({ a: text }),
      object({ a: text }, { required: ["a"] }),
    ],
    ["an alternative less", { anyOf: [text, number] }, { anyOf: [text] }],
    ["alternatives of one type", { type: ["string", "null"] }, { anyOf: [text, { type: "null" }] }],
  ])("to an answer: %s", (_what, before, after) => {
    expect(breakingChanges(answering(before), answering(after))).toEqual([]);
  });

  it.each<[string, OpenApiDocument, OpenApiDocument]>([
    [
      "a path",
      description({}),
      { ...description({}), paths: { ...paths(description({})), "/v2": {} } },
    ],
    ["an optional parameter", withParameters(), withParameters(limit())],
    [
      "another order of parameters",
      withParameters(limit(), limit({ in: "header" })),
      withParameters(limit({ in: "header" }), limit()),
    ],
    ["a status", description({ responses: {} }), answering(text)],
    [
      "a header",
      description({ responses: { 200: {} } }),
      description({ responses: { 200: { headers: { A: { schema: text } } } } }),
    ],
    [
      "a media type",
      asking(text),
      description({ requestBody: { content: { ...body(text).content, "text/plain": {} } } }),
    ],
    ["an optional body", description({}), asking(text)],
    [
      "a body that may be left out",
      description({ requestBody: { ...body(text), required: true } }),
      asking(text),
    ],
    [
      "another key",
      description({ security: [{ a: [] }] }),
      description({ security: [{ a: [] }, { b: [] }] }),
    ],
    ["no key at all", description({ security: [{ a: [] }] }), description({ security: [] })],
    ["a deprecation", description({}), description({ deprecated: true })],
    ["a server", description({}), { ...description({}), servers: [{ url: "/b" }, { url: "/" }] }],
  ])("%s", (_what, before, after) => {
    expect(breakingChanges(before, after)).toEqual([]);
  });

  it("a component with another name, of the same content", () => {
    const before = description(
      { requestBody: { $ref: "#/components/requestBodies/A" } },
      {
        requestBodies: { A: body({ $ref: "#/components/schemas/a~1b" }) },
        schemas: { "a/b": text },
      },
    );
    expect(breakingChanges(before, asking(text))).toEqual([]);
    expect(breakingChanges(before, asking(number))).toHaveLength(1);
  });
});

describe("schemas that contain themselves", () => {
  const tree = (leaf: unknown) =>
    description(
      { requestBody: body({ $ref: "#/components/schemas/Tree" }) },
      { schemas: { Tree: object({ leaf, next: { $ref: "#/components/schemas/Tree" } }) } },
    );

  it("are compared once", () => {
    expect(breakingChanges(tree(text), tree(text))).toEqual([]);
    expect(breakingChanges(tree(text), tree(number))).toEqual([
      "POST /things: request: the type of property leaf was narrowed from string to number",
    ]);
  });
});

function paths(document: OpenApiDocument): Json {
  return document.paths as Json;
}
