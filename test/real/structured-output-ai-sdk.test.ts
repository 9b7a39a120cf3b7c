import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, NoObjectGeneratedError, Output, streamObject } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openEngine } from "../support/generate.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { shippedModel } from "../support/shipped-model.js";

let server: RunningApp;
beforeAll(async () => {
  const engine = await openEngine(shippedModel, {
    slots: 2,
    contextSize: 1024,
    speculation: "off",
  });
  server = await runApp(engine);
});
afterAll(() => server.close());

const schema = z.object({
  name: z.string().max(12),
  age: z.int().min(0).max(130),
  kind: z.enum(["guest", "host"]),
  addresses: z.array(z.object({ city: z.string().max(12), isHome: z.boolean() })).max(2),
});

function request() {
  const provider = createOpenAICompatible({
    name: "ggufd",
    baseURL: `${server.url}/v1`,
    supportsStructuredOutputs: true,
  });
  return {
    model: provider("scripted"),
    prompt: "Write JSON about Anna, who is 30, from Oslo.",
    temperature: 0,
    maxOutputTokens: 300,
    maxRetries: 0,
  };
}

describe("structured output in the ai package", () => {
  it.each([0, 1, 2])("is an object that satisfies the zod schema, with seed %j", async (seed) => {
    const { object, finishReason } = await generateObject({
      ...request(),
      temperature: 1,
      seed,
      schema,
    });
    expect(finishReason).toBe("stop");
    expect(schema.parse(object)).toEqual(object);
  });

  it("is the same streamed as without streaming", async () => {
    const { object: whole } = await generateObject({ ...request(), schema });
    const { partialObjectStream, object } = streamObject({ ...request(), schema });
    const partial: unknown[] = [];
    for await (const snapshot of partialObjectStream) partial.push(snapshot);
    expect(await object).toEqual(whole);
    expect(partial.at(-1)).toEqual(whole);
    expect(partial.length).toBeGreaterThan(5);
  });

  it("can be an enum", async () => {
    const options = ["sunny", "rainy", "snowy"];
    const { object } = await generateObject({ ...request(), output: "enum", enum: options });
    expect(options).toContain(object);
  });

  it("can be an array", async () => {
    const element = z.object({ n: z.int().min(0).max(9) });
    const { object } = await generateObject({
      ...request(),
      temperature: 1,
      seed: 1,
      output: "array",
      schema: element,
      maxOutputTokens: 900,
    });
    expect(z.array(element).parse(object)).toEqual(object);
  });

  it("can be the output of generateText", async () => {
    const { output } = await generateText({ ...request(), output: Output.object({ schema }) });
    expect(schema.parse(output)).toEqual(output);
  });

  it("that is truncated causes NoObjectGeneratedError", async () => {
    const cut = generateObject({ ...request(), schema, maxOutputTokens: 5 });
    await expect(cut).rejects.toSatisfy(NoObjectGeneratedError.isInstance);
  });
});
