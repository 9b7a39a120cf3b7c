import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

/** Application whose model answers with the given scripts, one after the other. */
function appWith(...scripts: readonly Script[]) {
  let asked = 0;
  const engine = new ScriptedEngine(() => scripts[asked++] ?? { parts: ["More"] }, {
    contextSize: 10_000,
  });
  const { app } = buildTestApp(engine);
  onTestFinished(() => app.close());
  const post = async (path: string, payload: object) => {
    await nextTurn();
    const { statusCode: status, body } = await app.inject({
      method: "POST",
      url: `/v1${path}`,
      payload,
    });
    return { status, json: JSON.parse(body) };
  };
  const promptOf = (index: number) => engine.requests.at(index)?.prompt;
  return { post, promptOf };
}

const question = { role: "user", content: "Count." };

describe("an answer that is continued", () => {
  it("extends the final message, and forms one message with it afterwards", async () => {
    const { post, promptOf } = appWith(
      { parts: ["One, t"], ending: "length" },
      { parts: ["wo, "], ending: "length" },
      { parts: ["three."] },
    );
    const { json: conversation } = await post("/conversations", { items: [question] });
    const of = { conversation: conversation.id };
    await post("/responses", { ...of, max_output_tokens: 1 });
    expect(promptOf(-1)?.finalMessage).toBe("closed");
    await post("/responses", { ...of, continue_final_message: true });
    expect(promptOf(-1)).toMatchObject({
      messages: [question, { role: "assistant", content: "One, t" }],
      finalMessage: "continued",
    });
    await post("/responses", { ...of, continue_final_message: true });
    expect(promptOf(-1)?.messages[1]).toEqual({ role: "assistant", content: "One, two, " });
    await post("/responses", { ...of, input: "Thanks." });
    expect(promptOf(-1)?.messages).toEqual([
      question,
      { role: "assistant", content: "One, two, three." },
      { role: "user", content: "Thanks." },
    ]);
  });

  it("extends reasoning that ended early", async () => {
    const { post, promptOf } = appWith(
      { parts: [{ reasoning: "Let me " }], ending: "length" },
      { parts: [{ reasoning: "think." }, "Done."] },
    );
    const { json: conversation } = await post("/conversations", { items: [question] });
    const of = { conversation: conversation.id };
    await post("/responses", of);
    await post("/responses", { ...of, continue_final_message: true });
    expect(promptOf(-1)?.messages[1]).toMatchObject({ content: "", reasoning: "Let me " });
    await post("/responses", { ...of, input: "Thanks." });
    expect(promptOf(-1)?.messages[1]).toEqual({
      role: "assistant",
      content: "Done.",
      reasoning: "Let me think.",
    });
  });

  it("stays apart from a complete message before it", async () => {
    const { post, promptOf } = appWith();
    const said = (content: string) => ({ role: "assistant", content });
    await post("/responses", { input: [question, said("One."), said("Two.")] });
    expect(promptOf(-1)?.messages).toEqual([question, said("One."), said("Two.")]);
  });

  it.each([
    ["a question", [question]],
    [
      "a tool call",
      [question, { type: "function_call", call_id: "call_1", name: "now", arguments: "{}" }],
    ],
  ])("is refused after %s", async (_name, input) => {
    const { post } = appWith();
    const { status, json } = await post("/responses", { input, continue_final_message: true });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: "invalid_request", param: "continue_final_message" });
    expect(json.error.message).toContain("does not end with an assistant message");
  });
});
