import type { ModelDirectory } from "../../core/model-directory.js";

const DEFAULT_TAG = "latest";

/** A model's name as Ollama's clients write it: with a tag, by default `latest`. */
export function taggedName(name: string): string {
  const lastPart = name.slice(name.lastIndexOf("/") + 1);
  return lastPart.includes(":") ? name : `${name}:${DEFAULT_TAG}`;
}

/** The name of the model that a client means, which may write it with or without the default tag. */
export function servedName(
  { models }: Pick<ModelDirectory, "models">,
  name: string | undefined,
): string | undefined {
  if (name === undefined) return undefined;
  const tagged = taggedName(name);
  return models.find(({ alias }) => taggedName(alias) === tagged)?.alias ?? name;
}
