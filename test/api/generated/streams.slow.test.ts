import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { hostileText } from "../../support/hostile-text.js";
import { ScriptedEngine, type ScriptedPart } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";
import { type StreamKind, streamKinds } from "./stream-kinds.js";

const RUNS = 60;

let parts: readonly ScriptedPart[] = [];
const engine = new ScriptedEngine(() => ({ parts }), { rawScript: () => ({ parts }) });
const { app } = buildTestApp(engine);
afterAll(() => app.close());

/** Splits a text into chunks, possibly within a character. */
const pieces = fc.array(hostileText({ minLength: 1 }), { maxLength: 6 });
const argumentTexts = fc
  .tuple(
    fc.dictionary(hostileText(), fc.oneof(hostileText(), fc.jsonValue({ maxDepth: 2 })), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
    fc.constantFrom("", " ", "\t", "\r\n"),
  )
  .map(([value, indent]) => JSON.stringify(value, undefined, indent));
const call = fc
  .tuple(hostileText({ minLength: 1 }), argumentTexts, fc.nat())
  .map(([name, json, cut]) => ({ name, json, cut: cut % json.length }));
const calls = fc.array(call, { maxLength: 2 });

interface Answer {
  readonly text: readonly string[];
  readonly reasoning: readonly string[];
  readonly calls: readonly { readonly name: string; readonly json: string; readonly cut: number }[];
}

function answers({ content }: StreamKind): fc.Arbitrary<Answer> {
  const none = fc.constant([]);
  return fc.record({
    text: pieces,
    reasoning: content === "text" ? none : pieces,
    calls: content === "anything" ? calls : none,
  });
}

function partsOf({ text, reasoning, calls }: Answer): readonly ScriptedPart[] {
  return [
    ...reasoning.map((piece) => ({ reasoning: piece })),
    ...text,
    ...calls.map(({ name, json, cut }, index) => ({
      call: { id: `call${index}`, name, arguments: [json.slice(0, cut), json.slice(cut)] },
    })),
  ];
}

describe("a stream of arbitrary model output", () => {
  it.each(streamKinds)("preserves the text: $url", async (kind) => {
    await fc.assert(
      fc.asyncProperty(answers(kind), async (answer) => {
        parts = partsOf(answer);
        const response = await app.inject({ method: "POST", url: kind.url, payload: kind.body });
        expect(response.statusCode).toBe(200);
        const stream = new TextDecoder("utf-8", { fatal: true }).decode(response.rawPayload);
        const { text, reasoning, calls } = kind.assemble(stream);
        expect({ text, reasoning }).toEqual({
          text: answer.text.join(""),
          reasoning: answer.reasoning.join(""),
        });
        expect(calls.map(({ name }) => name)).toEqual(answer.calls.map(({ name }) => name));
        expect(calls.map((made) => JSON.parse(made.arguments))).toEqual(
          answer.calls.map(({ json }) => JSON.parse(json)),
        );
      }),
      { numRuns: RUNS },
    );
  });
});
