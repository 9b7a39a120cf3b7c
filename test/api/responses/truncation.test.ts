import { describe, expect, it, test } from "vitest";
import { toItems } from "../../../src/api/responses/input-items.js";
import { withoutOldest } from "../../../src/api/responses/truncation.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

const user = (content: string) => ({ role: "user" as const, content });
const call = (call_id: string) => ({
  type: "function_call" as const,
  call_id,
  name: "now",
  arguments: "{}",
});
const output = (call_id: string) => ({
  type: "function_call_output" as const,
  call_id,
  output: call_id,
});
const items = (...given: Exclude<Parameters<typeof toItems>[0], string>) =>
  toItems(given, () => undefined, "input");
const kinds = (list: readonly { readonly type: string }[]) => list.map(({ type }) => type);

describe("withoutOldest", () => {
  const conversation = {
    earlier: items(user("a"), call("1"), output("1")),
    input: items(user("b"), call("2"), output("2")),
  };

  test.each([
    [0, ["message", "function_call", "function_call_output"], 3],
    [1, ["function_call", "function_call_output"], 3],
    [2, [], 3],
    [3, [], 3],
    [4, [], 2],
    [5, [], 0],
  ])("drops the oldest items of a conversation: %i", (oldest, earlier, input) => {
    const left = withoutOldest(conversation, oldest);
    expect(kinds(left.earlier)).toEqual(earlier);
    expect(left.input).toHaveLength(input);
  });
});

describe("a conversation that exceeds the context", () => {
  /** Server with one token per character and a context of 100 tokens. */
  function serve() {
    const engine = new ScriptedEngine(() => ({ parts: ["One"] }), { contextSize: 100 });
    const { app } = buildTestApp(engine);
    const respond = (body: object) =>
      app.inject({ method: "POST", url: "/v1/responses", payload: body });
    return { engine, respond };
  }
  const input = [user("a".repeat(60)), user("b".repeat(40)), user("c".repeat(30))];

  it("is rejected by default", async () => {
    const { respond } = serve();
    const response = await respond({ input });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ error: { code: "context_length_exceeded" } });
  });

  it("is truncated to its newest items if truncation is auto", async () => {
    const { engine, respond } = serve();
    const response = await respond({ input, instructions: "Be brief.", truncation: "auto" });
    expect(response.json()).toMatchObject({ status: "completed", truncation: "auto" });
    expect(engine.requests.at(-1)?.prompt).toMatchObject({
      messages: [
        { content: "Be brief." },
        { content: "b".repeat(40) },
        { content: "c".repeat(30) },
      ],
    });
  });

  it("is left unchanged if it fits", async () => {
    const { engine, respond } = serve();
    await respond({ input: input.slice(1), truncation: "auto" });
    expect(engine.requests.at(-1)?.prompt).toMatchObject({ messages: [{}, {}] });
  });

  it("is rejected if its newest item does not fit", async () => {
    const { respond } = serve();
    const response = await respond({
      input: [user("a"), user("b".repeat(120))],
      truncation: "auto",
    });
    expect(response.json()).toMatchObject({ error: { code: "context_length_exceeded" } });
  });
});
