import { describe, expect, it } from "vitest";
import {
  completenessOf,
  jsonMeasures,
  jsonMeasureTypes,
  jsonSample,
} from "../../bench/scenarios/json-measures.js";
import {
  type Control,
  controlledRequests,
  controlMembers,
  warmUpRequest,
} from "../../bench/scenarios/json-requests.js";
import { chatCompletionRequest } from "../../src/api/openai/schema.js";
import { toGenerationRequest } from "../../src/api/openai/translate.js";
import { constraintGrammar } from "../../src/grammar/constraint-grammar.js";
import { buildTokenTrie } from "../../src/grammar/mask/token-trie.js";
import { GrammarEpoch, TokenGrammar } from "../../src/grammar/token-grammar.js";
import { counts, record } from "./records.js";

const named = (name: string) => {
  const request = controlledRequests.find((one) => one.name === name);
  if (request === undefined) throw new Error(`no request is named ${name}`);
  return request;
};
const regex = named("regex").control;
const toolCall = named("tool call").control;
const answer = (text: string, finishReason = "stop") => record({ text, finishReason });

describe("requests of the json scenario", () => {
  it("number ten, each with its own measures", () => {
    expect(controlledRequests).toHaveLength(10);
    const subjects = Object.values(jsonMeasureTypes).flatMap(({ subject }) => subject ?? []);
    expect(new Set(subjects)).toEqual(new Set(controlledRequests.map(({ name }) => name)));
  });

  it.each(
    [...controlledRequests, warmUpRequest].map((request) => [request.name, request] as const),
  )("are valid ggufd requests: %s", (_, { control }) => {
    for (const decoding of ["constrained", "free"] as const) {
      const messages = [{ role: "user", content: "a" }];
      const members = controlMembers(control, decoding, "ggufd");
      const request = toGenerationRequest(
        chatCompletionRequest.parse({ messages, ...members }),
        "id",
      );
      const isHeld = request.constraint !== undefined || request.toolUse?.demand === "required";
      expect(isHeld).toBe(decoding === "constrained");
    }
  });

  it("are sent to llama-server with a grammar instead of a regular expression", () => {
    expect(controlMembers(regex, "constrained", "llama-server")).toEqual({
      grammar: expect.stringContaining("root ::="),
    });
    expect(controlMembers(regex, "constrained", "external")).toEqual({
      structured_outputs: { regex: expect.any(String) },
    });
  });

  it("include the tool in unconstrained requests as well, without requiring it", () => {
    const choiceOf = (server: "ggufd" | "llama-server") =>
      controlMembers(toolCall, "free", server).tool_choice;
    expect(controlMembers(toolCall, "free", "ggufd").tools).toEqual(
      controlMembers(toolCall, "constrained", "ggufd").tools,
    );
    expect([choiceOf("ggufd"), choiceOf("llama-server")]).toEqual(["auto", "none"]);
  });

  it("describe the same codes as a regular expression and as a grammar", () => {
    if (regex.kind !== "regex") throw new Error("not an expression");
    const code = "AB-1234";
    const ten = Array(10).fill(code).join("; ");
    const texts = [ten, `${ten}; ${code}`, ten.slice(0, -1), ten.toLowerCase(), "", ten.slice(9)];
    const byRegex = texts.map((text) => new RegExp(`^(?:${regex.regex})$`, "u").test(text));
    expect(byRegex).toEqual([true, false, false, false, false, false]);
    expect(texts.map((text) => isAllowed(regex.gbnf, text))).toEqual(byRegex);
  });
});

/** Whether a GBNF grammar matches a text. */
function isAllowed(gbnf: string, text: string): boolean {
  const constraint = { type: "gbnf", text: gbnf } as const;
  const epoch = new GrammarEpoch({
    trie: buildTokenTrie([], 0),
    bytesOf: () => new Uint8Array(),
    controlTokens: new Map(),
  });
  const grammar = new TokenGrammar(constraintGrammar(constraint), epoch);
  const end = grammar.advanceByBytes(grammar.start, Buffer.from(text));
  return end !== undefined && grammar.canEnd(end);
}

describe("completenessOf", () => {
  const item = '{"product":"a","quantity":2,"gift":true}';
  const check = (name: string, text: string, finishReason?: string) =>
    completenessOf(named(name))(answer(text, finishReason));

  it("accepts an answer that has ended and satisfies its constraint", () => {
    expect(check("object array", `{"items":[${item},${item},${item}]}`)).toBe(true);
    expect(check("object array", `{"items":[${item}]}`)).toBe(false);
    expect(check("object array", '{"items":[')).toBe(false);
    expect(check("regex", Array(10).fill("AB-1234").join("; "))).toBe(true);
    expect(check("regex", "AB-1234")).toBe(false);
  });

  it("accepts a truncated answer only for constraints of unbounded length", () => {
    expect(check("recursive", '{"name":"a"', "length")).toBe(true);
    expect(check("recursive", '{"name":"a"', "stop")).toBe(false);
    expect(check("enums", "{", "length")).toBe(false);
  });

  it("rejects a failed request", () => {
    expect(completenessOf(named("regex"))(record({ error: "HTTP 400" }))).toBe(false);
  });
});

describe("jsonMeasures", () => {
  const took = (ms: number, completion: number, forced = 0, accepted = 0) =>
    record({
      chunkTimesMs: [ms / 4],
      endedAtMs: ms,
      tokens: counts({ completion, forced, accepted }),
      text: "x",
      finishReason: "stop",
    });
  const control: Control = { kind: "regex", regex: "x", gbnf: 'root ::= "x"' };
  const answersOf = (request: string, constrainedMs: readonly number[]) => ({
    request,
    first: took(40, 1),
    rounds: constrainedMs.map((ms) => ({
      constrained: [took(ms, 10, 3, 2)],
      free: [took(100, 10)],
    })),
    isComplete: completenessOf({ name: request, task: "", control, length: "bounded" }),
  });

  it("returns medians over rounds, each round compared with its unconstrained request", () => {
    const measures = jsonMeasures([answersOf("flat object", [50, 100, 200])]);
    expect(measures).toMatchObject({
      meanToFree: 1,
      "toFree: flat object": 1,
      "rate: flat object": 100,
      "perStep: flat object": 2,
      "firstTtft: flat object": 10,
      incomplete: 0,
    });
  });

  it("includes the geometric mean over all requests", () => {
    const measures = jsonMeasures([answersOf("enums", [50]), answersOf("regex", [200])]);
    expect(measures.meanToFree).toBeCloseTo(1);
  });

  it("counts incomplete answers", () => {
    const answers = answersOf("enums", [50, 50]);
    expect(jsonMeasures([{ ...answers, isComplete: () => false }]).incomplete).toBe(2);
  });

  it("reports a sample for each request", () => {
    expect(jsonSample(answersOf("enums", [50]))).toEqual({
      request: "enums",
      tokens: 10,
      "tok/s": 200,
      "free tok/s": 100,
      "to free": 2,
      "for each drawn": 2,
      "new ms": 10,
      incomplete: 0,
    });
  });
});
