import { describe, expect, it, onTestFinished } from "vitest";
import { chatCompletion } from "../../src/api/openai/answer.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { openEngine } from "../support/generate.js";
import { runApp } from "../support/running-app.js";
import { shippedModel } from "../support/shipped-model.js";

const yesOrNo: EngineSettings["constraint"] = {
  field: "--grammar",
  constraint: { type: "gbnf", text: 'root ::= "yes" | "no"' },
};

const weatherTool = {
  type: "function",
  function: {
    name: "weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

async function serve() {
  const settings = { slots: 1, contextSize: 1024, constraint: yesOrNo };
  const server = await runApp(await openEngine(shippedModel, settings));
  onTestFinished(() => server.close());
  return async (fields: object) => {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        messages: [{ role: "user", content: "What is the weather in Rome?" }],
        temperature: 0,
        max_tokens: 60,
        ...fields,
      }),
    });
    return chatCompletion.parse(await response.json()).choices[0]?.message;
  };
}

describe("a default constraint", () => {
  it("applies to requests with neither a constraint nor tools", async () => {
    const ask = await serve();
    expect((await ask({}))?.content).toMatch(/^(yes|no)$/);
    expect((await ask({ grammar: 'root ::= "perhaps"' }))?.content).toBe("perhaps");
    const called = await ask({ tools: [weatherTool], tool_choice: "required" });
    expect(called?.tool_calls?.[0]?.function.name).toBe("weather");
  });

  it("ends the start if it is invalid", async () => {
    const constraint = { type: "gbnf", text: "root ::= (" } as const;
    await expect(
      openEngine(shippedModel, { constraint: { field: "--grammar", constraint } }),
    ).rejects.toThrow("--grammar: ");
  });
});
