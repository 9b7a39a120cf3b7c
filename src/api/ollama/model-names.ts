import type { ModelDirectory } from "../../core/model-directory.js";
import type { LibraryModel } from "../../core/model-library.js";
import type { LibraryContext, ModelContext } from "../description/described-route.js";

const DEFAULT_TAG = "latest";

/** A model's name as Ollama's clients write it: with a tag, by default `latest`. */
export function taggedName(name: string): string {
  const lastPart = name.slice(name.lastIndexOf("/") + 1);
  return lastPart.includes(":") ? name : `${name}:${DEFAULT_TAG}`;
}

function withoutDefaultTag(name: string): string {
  return name.replace(/:latest$/, "");
}

/** How Ollama's clients begin the names of Hugging Face's models. */
const HUB = /^(?:hf\.co|huggingface\.co)\//;

/**
 * The name, as the directory knows it, of the model that a client names: with or without the default tag, or as it was
 * pulled from Hugging Face; an unknown name as it is.
 */
export function servedName(
  { models }: Pick<ModelDirectory, "models">,
  name: string | undefined,
): string | undefined {
  if (name === undefined) return undefined;
  return (
    aliasOf(models, name) ??
    (HUB.test(name) ? `hf:${withoutDefaultTag(name.replace(HUB, ""))}` : name)
  );
}

function aliasOf(models: ModelDirectory["models"], name: string): string | undefined {
  const tagged = taggedName(name);
  return models.find(({ alias }) => taggedName(alias) === tagged)?.alias;
}

/**
 * The model that a client names, which is not loaded for that; without a name, the first one.
 * @throws {GgufdError} `model_not_found`, `model_loading`, `model_unavailable`, `shutting_down`
 */
export async function namedEntry(
  { models, library }: ModelContext & LibraryContext,
  name: string | undefined,
): Promise<LibraryModel> {
  return library.entry(servedName(models, name) ?? models.entry(undefined).alias);
}
