import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { llamaCppModelsFolder } from "../../models/random/llama-cpp-source.js";
import { ChatTemplate } from "../../src/engine/prompt/chat-template.js";

const folder = join(llamaCppModelsFolder(), "templates");
const templates = readdirSync(folder).filter((name) => name.endsWith(".jinja"));

/** Errors of the templates that cannot render a plain conversation. */
const unsupported: Readonly<Record<string, RegExp>> = {
  "ByteDance-Seed-OSS.jinja": /Object keys must be strings/,
  "CohereForAI-c4ai-command-r-plus-tool_use.jinja": /Expected iterable/,
  "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use.jinja": /Expected iterable/,
  "NousResearch-Hermes-3-Llama-3.1-8B-tool_use.jinja": /Expected iterable/,
  "fireworks-ai-llama-3-firefunction-v2.jinja": /undefined/,
  "meetkai-functionary-medium-v3.1.jinja": /selectattr/,
  "tencent-Hy3.jinja": /not a function/,
  "unsloth-Apriel-1.5.jinja": /length/,
};

function render(name: string): string {
  const source = readFileSync(join(folder, name), "utf8");
  const template = new ChatTemplate(source, { bosToken: "<s>", eosToken: "</s>" });
  const messages = [
    { role: "user", content: "First question" },
    { role: "assistant", content: "First answer" },
    { role: "user", content: "Second question" },
  ] as const;
  return template.render({ messages, tools: [], templateVariables: {} }, (value) => value);
}

describe("the chat templates that llama.cpp is tested with", () => {
  it.each(templates.filter((name) => unsupported[name] === undefined))(
    "%s renders a conversation",
    (name) => {
      const text = render(name);
      const positions = ["First question", "First answer", "Second question"].map((part) =>
        text.indexOf(part),
      );
      expect(positions).not.toContain(-1);
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    },
  );

  it.each(Object.entries(unsupported))("%s fails with its own error", (name, reason) => {
    expect(() => render(name)).toThrow(reason);
  });
});
