import { readFileSync } from "node:fs";
import { ALIAS } from "../support/test-app.js";

const page = readFileSync(new URL("../../docs/clients.md", import.meta.url), "utf8");

/**
 * Code blocks of docs/clients.md in a language below a heading, with the address of the server
 * under test. Their `MODEL` stands for a model's name.
 */
export function documentedSnippets(heading: string, language: string, url: string): string[] {
  const [, behind = ""] = page.split(`\n### ${heading} — run`);
  const [section = ""] = behind.split("\n### ");
  const blocks = section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"));
  const texts = Array.from(blocks, ([, text = ""]) => text);
  if (texts.length === 0) throw new Error(`docs/clients.md: no ${language} below ${heading}`);
  return texts.map((text) =>
    text.replaceAll("http://127.0.0.1:8080", url).replaceAll(/\bMODEL\b/g, ALIAS),
  );
}

/** The programs of docs/clients.md, each with the heading above it and its number below that. */
export function documentedPrograms(): { name: string; program: string }[] {
  return page.split("\n### ").flatMap((section) => {
    const [heading = ""] = section.split("\n", 1);
    const programs = Array.from(
      section.matchAll(/^```js\n([\s\S]*?)^```$/gm),
      ([, text = ""]) => text,
    );
    return programs.map((program, index) => ({ name: `${heading} ${index + 1}`, program }));
  });
}
