import type { ModelDirectory, ServedModel } from "../../core/model-directory.js";

const DEFAULT_TAG = "latest";

/** A model's name as Ollama's clients write it: with a tag, by default `latest`. */
export function taggedName(name: string): string {
  const lastPart = name.slice(name.lastIndexOf("/") + 1);
  return lastPart.includes(":") ? name : `${name}:${DEFAULT_TAG}`;
}

/**
 * Looks up a model by its name with or without the default tag; `undefined` means the served model.
 * @throws {GgufdError} the errors of {@link ModelDirectory.resolve}
 */
export function resolveModel(models: ModelDirectory, name: string | undefined): ServedModel {
  if (name === undefined) return models.resolve(undefined);
  const tagged = taggedName(name);
  const known = models.list().find(({ alias }) => taggedName(alias) === tagged);
  return known ?? models.resolve(name);
}
