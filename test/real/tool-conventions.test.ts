import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { llamaCppModelsFolder } from "../../models/random/llama-cpp-source.js";
import { TOOL_CONVENTIONS, type ToolConvention } from "../../src/core/output-format.js";
import {
  chooseConvention,
  chooseReasoning,
} from "../../src/engine/text/output/choose-output-format.js";
import { callGrammar } from "../../src/engine/text/output/grammars/call-grammar.js";
import { ChatTemplate } from "../../src/engine/text/prompt/chat-template.js";
import type { ParameterValues } from "../../src/grammar/argument-set.js";
import { least, sampleGrammar } from "../support/sample-grammar.js";

const folder = join(llamaCppModelsFolder(), "templates");
const templates = readdirSync(folder).flatMap((file) =>
  file.endsWith(".jinja") ? [file.replace(".jinja", "")] : [],
);
const documentation = readFileSync(new URL("../../docs/tools.md", import.meta.url), "utf8");

function open(name: string): ChatTemplate {
  const source = readFileSync(join(folder, `${name}.jinja`), "utf8");
  return new ChatTemplate(source, { bosToken: "<s>", eosToken: "</s>" });
}

const tool = {
  name: "read_depth",
  parameters: {
    type: "object",
    properties: { of: { type: "string", enum: ["probe"] } },
    required: ["of"],
  },
};
const parameter: ParameterValues = {
  name: "of",
  presence: "required",
  strings: { type: "words", words: ["probe"] },
  others: undefined,
  json: { type: "words", words: ["'probe'"] },
};
const args = '{"of": "probe"}';

/** A call as the grammar of a tool format writes it. */
function callByGrammar(convention: ToolConvention): string {
  const grammar = callGrammar(convention, {
    tools: [tool],
    argumentsOf: () => ({ type: "words", words: [args] }),
    argumentSetsOf: () => [{ parameters: [parameter], min: 1 }],
    calls: "one",
    callPosition: "at-once",
    isControlToken: () => false,
  });
  const pieces = sampleGrammar(grammar, least);
  return pieces.map(({ text }) => text).join("");
}

/** A call as a template renders it, with an id made of the grammar's first alternatives. */
function callByTemplate(name: string): string {
  const call = { id: "000000000", name: tool.name, arguments: args };
  const messages = [
    { role: "user", content: "How deep is it?" },
    { role: "assistant", content: "", toolCalls: [call] },
  ] as const;
  return (
    open(name).renderProbe({ type: "chat", messages, tools: [tool], templateVariables: {} }) ?? ""
  );
}

/** Templates whose calls differ from the grammar of their tool format. */
const differences: Readonly<Record<string, string>> = {
  "Kimi-K3": "counts calls from 1, which the grammar leaves open",
  "upstage-Solar-Open-100B": "the id may have any length",
  "openai-gpt-oss-120b": "has the recipient in the role; models have it in the channel",
  "LFM2-8B-A1B": "renders no calls",
  "LFM2.5-Instruct": "renders no calls",
  "ibm-granite-granite-3.3-2B-Instruct": "renders no calls",
  "NVIDIA-Nemotron-Nano-v2": "renders calls only before their results",
};

const withoutSpace = (text: string) => text.replaceAll(/\s/g, "");

function choose(name: string) {
  const template = open(name);
  const convention = chooseConvention((prompt) => template.renderProbe(prompt));
  const reasoning = chooseReasoning((prompt) => template.renderProbe(prompt), convention);
  return { convention, reasoning };
}

describe("the tool formats of llama.cpp's test templates", () => {
  it.each(templates)("are documented: %s", (name) => {
    const { convention, reasoning } = choose(name);
    expect(documentation).toContain(`| ${name} | \`${convention}\` | \`${reasoning}\` |`);
  });

  it("are all described", () => {
    const rows = [...documentation.matchAll(/^\| `([^`]+)` \|/gm)];
    expect(rows.map(([, name]) => name).toSorted()).toEqual(TOOL_CONVENTIONS.toSorted());
  });

  it.each(templates)("have grammars that write calls like the template: %s", (name) => {
    const { convention } = choose(name);
    const [rendered, allowed] = [callByTemplate(name), callByGrammar(convention)].map(withoutSpace);
    expect(rendered?.includes(allowed ?? "")).toBe(differences[name] === undefined);
  });

  it.each([
    ["Qwen3-Coder", "qwen3-coder"],
    ["GLM-4.6", "glm"],
    ["Qwen-Qwen3-0.6B", "hermes"],
  ])("are not confused if several use the same tag: %s", (name, convention) => {
    expect(choose(name).convention).toBe(convention);
  });
});
