import {
  areEqual,
  MAX_PROMPTS,
  MAX_TEXT_CHARACTERS,
  MAX_TITLE_CHARACTERS,
  type Prompt,
} from "./prompt.js";

/** Prints prompts as a file for import. */
export function printPrompts(prompts: readonly Prompt[]): string {
  const entries = prompts.map(({ title, text }) => ({ title, text }));
  return `${JSON.stringify({ prompts: entries }, undefined, 2)}\n`;
}

/**
 * Parses a file of prompts: an array of `{title, text}`, or an object that holds it.
 * @returns the prompts, or what is wrong with the file
 */
export function parsePrompts(file: string): readonly Prompt[] | string {
  const parsed = parseJson(file);
  const entries = Array.isArray(parsed) ? parsed : Object(parsed).prompts;
  if (!Array.isArray(entries)) {
    return 'Expected a JSON file with {"prompts": [{"title", "text"}]}, as written by Export.';
  }
  const prompts: Prompt[] = [];
  for (const [index, entry] of entries.entries()) {
    const { title, text } = Object(entry) as { title?: unknown; text?: unknown };
    if (typeof title !== "string" || typeof text !== "string" || title.trim() === "") {
      return `Prompt ${index + 1} of the file: expected a title and a text.`;
    }
    if (title.length > MAX_TITLE_CHARACTERS || text.length > MAX_TEXT_CHARACTERS) {
      return `Prompt ${index + 1} of the file: expected at most ${MAX_TITLE_CHARACTERS} characters of title and ${MAX_TEXT_CHARACTERS} of text.`;
    }
    prompts.push({ title: title.trim(), text });
  }
  return prompts;
}

/** Adds prompts to a library: missing ones, while there is room. */
export function mergePrompts(
  library: readonly Prompt[],
  added: readonly Prompt[],
): readonly Prompt[] {
  const merged = [...library];
  for (const prompt of added) {
    if (merged.length >= MAX_PROMPTS) break;
    if (!merged.some((known) => areEqual(known, prompt))) merged.push(prompt);
  }
  return merged;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
