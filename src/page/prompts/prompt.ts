/** A saved prompt. */
export interface Prompt {
  readonly title: string;
  /** May contain variables: `{{name}}`. */
  readonly text: string;
}

export const MAX_TITLE_CHARACTERS = 100;
export const MAX_TEXT_CHARACTERS = 50_000;
export const MAX_PROMPTS = 500;

const VARIABLE = /\{\{\s*([^{}\n]{1,60}?)\s*\}\}/g;

/** Returns the names of a prompt's variables, in order, each once. */
export function variablesOf(text: string): readonly string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map(([, name = ""]) => name))];
}

/** Replaces variables by their values; those without a value stay. */
export function fillIn(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(VARIABLE, (whole, name: string) => values.get(name) ?? whole);
}

/**
 * Finds the prompts for a text that begins with a slash: those whose title contains the rest.
 * @returns `undefined` if the text asks for no prompt
 */
export function findPrompts(
  text: string,
  prompts: readonly Prompt[],
): readonly Prompt[] | undefined {
  const [, query] = /^\/([^/\n]*)$/.exec(text) ?? [];
  if (query === undefined) return undefined;
  const sought = normalise(query);
  const matching = prompts.filter(({ title }) => normalise(title).includes(sought));
  const startsWith = ({ title }: Prompt) => normalise(title).startsWith(sought);
  return [...matching.filter(startsWith), ...matching.filter((prompt) => !startsWith(prompt))];
}

function normalise(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().trim();
}

export function areEqual(one: Prompt, other: Prompt): boolean {
  return one.title === other.title && one.text === other.text;
}
