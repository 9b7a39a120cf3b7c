import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { bundledTemplate, templateNames } from "./bundled-templates.js";
import { conversations } from "./conversations.js";
import { allowedDifference } from "./differences.js";
import { promptHash, readExpectedPrompts } from "./expected-prompts.js";

const expected = readExpectedPrompts();
const page = readFileSync(
  fileURLToPath(new URL("../../../../../docs/templates.md", import.meta.url)),
  "utf8",
);

describe("prompts of llama.cpp's test chat templates", () => {
  it("are all listed in the expectations", () => {
    expect([...expected.keys()]).toEqual(templateNames);
  });

  it.each(templateNames)("of %s equal llama-server's, except for listed reasons", (name) => {
    const template = bundledTemplate(name);
    const rendered = Object.entries(conversations).map(([conversation, prompt]) => {
      const hash = promptHash(template.renderProbe(prompt));
      return [conversation, hash];
    });
    const prompts = [...(expected.get(name) ?? [])].map(([conversation, { hash }]) => {
      return [conversation, hash];
    });
    expect(
      rendered,
      "the prompt has changed: compare it with llama-server's, then renew the expectations",
    ).toEqual(prompts);
  });

  it("differ only for reasons explained in docs/templates.md", () => {
    for (const [template, prompts] of expected) {
      for (const [conversation, { reason }] of prompts) {
        if (reason === undefined) continue;
        expect(reason).toBe(allowedDifference(template, conversation));
        expect(page).toContain(`### ${reason}`);
      }
    }
  });
});
