import { computed, signal } from "@preact/signals";
import { session } from "../session.js";
import { areEqual, MAX_PROMPTS, type Prompt } from "./prompt.js";
import { mergePrompts, parsePrompts, printPrompts } from "./prompt-file.js";

const STORED_PROMPTS = "ggufd.prompts";

/**
 * Name of the library in the browser's storage. Users of a browser with different keys have
 * different libraries.
 */
const storageName = computed(() => {
  const { value } = session;
  const name = value.state === "open" ? value.caller.name : null;
  return name === null ? STORED_PROMPTS : `${STORED_PROMPTS}.${name}`;
});

/** Changes with the storage. */
const revision = signal(0);

addEventListener("storage", ({ key }) => {
  if (key === storageName.value) revision.value++;
});

/** The saved prompts, by title. */
export const prompts = computed<readonly Prompt[]>(() => {
  revision.value;
  const stored = parsePrompts(localStorage.getItem(storageName.value) ?? "[]");
  if (typeof stored === "string") return [];
  return stored.toSorted((one, other) => one.title.localeCompare(other.title));
});

/**
 * Adds prompts, except known ones.
 * @returns the number of added ones
 * @throws {Error} if there is no room for a prompt
 */
export function addPrompts(added: readonly Prompt[]): number {
  const before = prompts.value;
  if (before.length >= MAX_PROMPTS) {
    throw new Error(`The library is full: it has ${MAX_PROMPTS} prompts. Delete some.`);
  }
  const merged = mergePrompts(before, added);
  save(merged);
  return merged.length - before.length;
}

/** Replaces a prompt. @throws {Error} */
export function replacePrompt(former: Prompt, prompt: Prompt): void {
  save(mergePrompts(withoutPrompt(former), [prompt]));
}

export function removePrompt(removed: Prompt): void {
  save(withoutPrompt(removed));
}

function withoutPrompt(removed: Prompt): readonly Prompt[] {
  return prompts.value.filter((prompt) => !areEqual(prompt, removed));
}

function save(changed: readonly Prompt[]): void {
  try {
    localStorage.setItem(storageName.value, printPrompts(changed));
  } catch {
    throw new Error("The browser has no room for more prompts. Export and delete some.");
  }
  revision.value++;
}
