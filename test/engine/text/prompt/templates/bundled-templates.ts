import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { llamaCppModelsFolder } from "../../../../../models/random/llama-cpp-source.js";
import { ChatTemplate } from "../../../../../src/engine/text/prompt/chat-template.js";

/** Noon, so that no time zone makes it another day. */
export const PINNED_DAY = new Date("2026-03-02T12:00:00Z");

const folder = join(llamaCppModelsFolder(), "templates");

/** The chat templates that llama.cpp is tested with, from the sources that node-llama-cpp ships. */
export const templateNames = readdirSync(folder)
  .filter((name) => name.endsWith(".jinja"))
  .map((name) => name.slice(0, -".jinja".length));

export function templatePath(name: string): string {
  return join(folder, `${name}.jinja`);
}

/** A template with the special tokens of the model that the expectations were made with. */
export function bundledTemplate(name: string): ChatTemplate {
  const tokens = { bosToken: "<|endoftext|>", eosToken: "<|im_end|>" };
  return new ChatTemplate(readFileSync(templatePath(name), "utf8"), tokens, () => PINNED_DAY);
}
