import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import type { SamplingParameters } from "../../src/core/generation-request.js";
import type { OutputConstraint } from "../../src/core/output-constraint.js";
import { constraintGrammar } from "../../src/grammar/constraint-grammar.js";
import { followed } from "../support/follow-grammar.js";
import {
  type Answer,
  type GenerateOptions,
  generate,
  openEngine,
  preparerOf,
} from "../support/generate.js";
import { shippedModel } from "../support/shipped-model.js";

const text = { type: "string", maxLength: 12 } as const;
const person = {
  type: "object",
  properties: { name: text, age: { type: "integer", minimum: 0, maximum: 130 } },
  required: ["name", "age"],
  additionalProperties: false,
} as const;

/** Schemas in the form that clients send. */
const schemas = {
  "a flat object": person,
  "nested objects": {
    type: "object",
    properties: {
      user: {
        type: "object",
        properties: { id: { type: "integer", minimum: 1, maximum: 999 }, contact: person },
        required: ["id", "contact"],
        additionalProperties: false,
      },
    },
    required: ["user"],
    additionalProperties: false,
  },
  "an array of objects": {
    type: "array",
    items: person,
    minItems: 1,
    maxItems: 2,
  },
  enums: {
    type: "object",
    properties: {
      colour: { enum: ["red", "green", "blue"] },
      size: { enum: ["small", "medium", "large", null] },
      level: { enum: [1, 2, 3] },
      kind: { const: "order" },
    },
    required: ["colour", "size", "level", "kind"],
    additionalProperties: false,
  },
  "long strings": {
    type: "object",
    properties: { title: text, body: { type: "string", minLength: 40, maxLength: 80 } },
    required: ["title", "body"],
    additionalProperties: false,
  },
  "bounded numbers": {
    type: "object",
    properties: {
      share: { type: "number", minimum: 0, exclusiveMaximum: 1, multipleOf: 0.25 },
      count: { type: "integer", minimum: 3, maximum: 5 },
      step: { type: "integer", multipleOf: 5, minimum: -20, maximum: 20 },
    },
    required: ["share", "count", "step"],
    additionalProperties: false,
  },
  alternatives: {
    anyOf: [
      {
        type: "object",
        properties: { type: { const: "circle" }, radius: { type: "integer", maximum: 9 } },
        required: ["type", "radius"],
        additionalProperties: false,
      },
      {
        type: "object",
        properties: { type: { const: "square" }, side: { enum: [1, 2] } },
        required: ["type", "side"],
        additionalProperties: false,
      },
    ],
  },
  "a recursive type": {
    $ref: "#/$defs/node",
    $defs: {
      node: {
        type: "object",
        properties: {
          value: { type: "integer", minimum: 0, maximum: 9 },
          next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
        },
        required: ["value", "next"],
        additionalProperties: false,
      },
    },
  },
  "a pattern": {
    type: "object",
    properties: {
      plate: { type: "string", pattern: "^[A-Z]{2}-[0-9]{1,4}$" },
      day: { type: "string", format: "date" },
    },
    required: ["plate", "day"],
    additionalProperties: false,
  },
  "a map": {
    type: "object",
    patternProperties: { "^[a-z]{2}$": { type: "boolean" } },
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 3,
  },
} as const;
type SchemaName = keyof typeof schemas;
const names = Object.keys(schemas) as SchemaName[];

const ajv = new Ajv2020({ strict: false, formats: { date: /^\d{4}-\d\d-\d\d$/ } });

const prompt = "Write some JSON about Anna from Oslo.";
const ofSchema = (schema: unknown): OutputConstraint => ({ type: "json-schema", schema });

let engine: Engine;
/** Every token is drawn. */
let plain: Engine;
beforeAll(async () => {
  engine = await openEngine(shippedModel, { slots: 4, contextSize: 1024 });
  plain = await openEngine(shippedModel, { slots: 4, contextSize: 1024, speculation: "off" });
});
afterAll(() => Promise.all([engine.close(), plain.close()]));

/** Draws from all tokens. */
const hot = (seed: number) => ({ temperature: 1.5, topK: 0, topP: 1, minP: 0, seed });

function ask(constraint: OutputConstraint, options: GenerateOptions = {}, from = engine) {
  const stopping = { maxTokens: 120, ignoreEos: false, ...options.stopping };
  return generate(from, prompt, { constraint, ...options, stopping });
}

/** A complete text is valid; a truncated one has a valid continuation. */
function expectSound(schema: object, { text: json, reason }: Answer): void {
  if (reason === "stop") {
    const validate = ajv.compile(schema);
    validate(JSON.parse(json));
    expect(validate.errors, json).toBeNull();
  } else {
    expect(reason).toBe("length");
    expectBeginning(ofSchema(schema), json);
  }
}

function expectBeginning(constraint: OutputConstraint, begun: string): void {
  const grammar = followed(constraintGrammar(constraint));
  expect(grammar.advanceByBytes(grammar.start, Buffer.from(begun)), begun).toBeDefined();
}

const answers = (count: number, begin: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => begin(index)));

describe.each(names)("an answer constrained by %s", (name) => {
  const schema = schemas[name];
  const constraint = ofSchema(schema);

  it("is valid with greedy and with high-temperature sampling", async () => {
    const all = await answers(8, (seed) =>
      ask(constraint, { sampling: seed === 0 ? { temperature: 0 } : hot(seed) }),
    );
    for (const one of all) expectSound(schema, one);
    expect(all.map(({ reason }) => reason)).toContain("stop");
  });

  it("is the same for the same seed, alone and with concurrent answers, with and without forced tokens", async () => {
    const sampling = hot(7);
    const alone = await ask(constraint, { sampling }, plain);
    const [again, other, free] = await Promise.all([
      ask(constraint, { sampling }, engine),
      ask(constraint, { sampling: hot(8) }, engine),
      generate(engine, "What is the capital of France?", { stopping: { ignoreEos: false } }),
    ]);
    expect(again.text).toBe(alone.text);
    expectSound(schema, other);
    expect(free.text).toBe("The capital of France is Paris.");
  });
});

describe("a constraint", () => {
  it.each<[string, OutputConstraint, RegExp]>([
    [
      "a regular expression",
      { type: "regex", pattern: "(\\+47|0)[0-9]{2}( [0-9]{2}){3}" },
      /^(\+47|0)\d\d( \d\d){3}$/,
    ],
    ["choices", { type: "choice", options: ["Oslo", "Oslo!", "Ålesund"] }, /^(Oslo!?|Ålesund)$/],
    [
      "a grammar in GBNF",
      { type: "gbnf", text: 'root ::= line{2}\nline ::= "- " [a-z]{1,8} "\\n"' },
      /^(- [a-z]{1,8}\n){2}$/,
    ],
  ])("can be %s", async (_, constraint, form) => {
    for (const one of await answers(4, (seed) => ask(constraint, { sampling: hot(seed) }))) {
      expect(one.text).toMatch(form);
      expect(one.reason).toBe("stop");
    }
  });

  it.each([1, 2, 5, 9, 14])("can be truncated by a limit of %j tokens", async (maxTokens) => {
    const whole = await ask(ofSchema(person), {}, plain);
    const cut = await ask(ofSchema(person), { stopping: { maxTokens } }, plain);
    expect(cut).toMatchObject({ reason: "length", usage: { completionTokens: maxTokens } });
    expect(whole.text.startsWith(cut.text)).toBe(true);
    const speculative = await ask(ofSchema(person), { stopping: { maxTokens } });
    expect(speculative).toMatchObject({ reason: "length", usage: { completionTokens: maxTokens } });
    expectBeginning(ofSchema(person), speculative.text);
  });

  it("can be truncated by a stop string, even in forced text", async () => {
    for (const from of [engine, plain]) {
      const cut = await ask(ofSchema(person), { stopping: { stop: ['e":'] } }, from);
      expect(cut).toMatchObject({ text: '{"nam', reason: "stop" });
    }
  });

  it("ends a complete text despite a minimum number of tokens", async () => {
    const stopping = { minTokens: 100, maxTokens: 110 };
    for (const ignoreEos of [false, true]) {
      const one = await ask(ofSchema(person), { stopping: { ...stopping, ignoreEos } });
      expectSound(person, one);
      expect(one.reason).toBe("stop");
    }
  });

  it("continues an optional text up to the minimum number of tokens", async () => {
    const constraint = { type: "regex", pattern: "[a-z]+" } as const;
    const one = await ask(constraint, { stopping: { minTokens: 20, maxTokens: 30 } });
    expect(one.text).toMatch(/^[a-z]+$/);
    expect(one.usage?.completionTokens).toBeGreaterThanOrEqual(20);
    const endless = await ask(constraint, { stopping: { ignoreEos: true, maxTokens: 30 } });
    expect(endless).toMatchObject({ reason: "length", usage: { completionTokens: 30 } });
    expect(endless.text).toMatch(/^[a-z]+$/);
  });

  it.each<[string, SamplingParameters]>([
    ["top-k 1", { temperature: 1, topK: 1, seed: 1 }],
    ["min-p 1", { temperature: 1, minP: 1, seed: 1 }],
    [
      "penalties",
      { temperature: 0.7, seed: 1, repeatPenalty: 2, frequencyPenalty: 2, presencePenalty: -2 },
    ],
    ["DRY", { temperature: 0.7, seed: 1, dryMultiplier: 3, dryAllowedLength: 1 }],
    ["XTC", { temperature: 1, seed: 1, xtcProbability: 1, xtcThreshold: 0.01 }],
    [
      "a bias towards forbidden tokens",
      {
        logitBias: new Map([
          [64, 100],
          [65, 100],
        ]),
      },
    ],
  ])("is satisfied with %s", async (_, sampling) => {
    for (const from of [engine, plain]) {
      const one = await ask(ofSchema(schemas.enums), { sampling }, from);
      expectSound(schemas.enums, one);
      expect(one.reason).toBe("stop");
    }
  });

  it("leaves the choice between allowed tokens to a bias", async () => {
    const constraint = { type: "choice", options: ["A", "B"] } as const;
    const free = await ask(constraint, {}, plain);
    const [token = -1] = (await tokensOf(free.text)).slice(-1);
    const biased = await ask(
      constraint,
      { sampling: { logitBias: new Map([[token, Number.NEGATIVE_INFINITY]]) } },
      plain,
    );
    expect([free.text, biased.text].toSorted()).toEqual(["A", "B"]);
  });

  it("does not affect the next request in the same slot", async () => {
    await ask(ofSchema(person));
    const { text: free } = await generate(engine, "What is the capital of France?", {
      stopping: { ignoreEos: false },
    });
    expect(free).toBe("The capital of France is Paris.");
  });

  it("that is not supported is rejected when the request is prepared", async () => {
    await expect(ask(ofSchema({ properties: { a: { uniqueItems: true } } }))).rejects.toMatchObject(
      {
        code: "invalid_request",
        param: "response_format.properties.a.uniqueItems",
      },
    );
  });

  it.each<[OutputConstraint, string]>([
    [{ type: "regex", pattern: "a$b" }, "response_format"],
    [{ type: "gbnf", text: "root ::= [^\\x00-\\U0010FFFF]" }, "response_format"],
    [
      ofSchema({
        type: "object",
        required: ["a"],
        properties: { a: { type: "string", pattern: "(?=b)a" } },
      }),
      "response_format.properties.a",
    ],
  ])(
    "that no text can satisfy is rejected when the request is prepared: %j",
    async (none, param) => {
      await expect(ask(none)).rejects.toMatchObject({ code: "invalid_request", param });
    },
  );
});

/** The tokens of a text in an answer. */
async function tokensOf(content: string): Promise<readonly number[]> {
  const messages = [
    { role: "user", content: "x" },
    { role: "assistant", content },
  ] as const;
  const preparer = await preparerOf(shippedModel);
  const { promptTokens } = preparer.prepare({
    id: "tokens",
    prompt: { type: "chat", messages, tools: [], templateVariables: {} },
    sampling: {},
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
  });
  return promptTokens;
}
