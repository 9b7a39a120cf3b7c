import { z } from "zod";
import { createRefusal } from "../../core/errors.js";
import { hasHiddenCharacters } from "../../core/hidden-characters.js";
import type { ModelDirectory } from "../../core/model-directory.js";
import type { LibraryModel } from "../../core/model-library.js";
import { nonEmptyText } from "../../validation/fields.js";
import type { LibraryContext, ModelContext } from "../description/described-route.js";

const DEFAULT_TAG = "latest";

/** Adds the default tag `latest` to a model name without a tag, as Ollama's clients write names. */
export function addDefaultTag(name: string): string {
  const lastPart = name.slice(name.lastIndexOf("/") + 1);
  return lastPart.includes(":") ? name : `${name}:${DEFAULT_TAG}`;
}

function withoutDefaultTag(name: string): string {
  return name.replace(/:latest$/, "");
}

/** Prefix of Hugging Face models in the names of Ollama's clients. */
const HUB = /^(?:hf\.co|huggingface\.co)\//;

/**
 * Resolves the model name in a request to the directory's name. Accepts names with or without the
 * default tag, names as pulled from Hugging Face, and names of adapters. An unknown name is
 * returned as is.
 */
export function resolveServedName(
  { models }: Pick<ModelDirectory, "models">,
  name: string | undefined,
): string | undefined {
  if (name === undefined) return undefined;
  const servedName = aliasOf(models, name) ?? adapterOf(models, name);
  return servedName ?? (HUB.test(name) ? toPullName(name) : name);
}

function aliasOf(models: ModelDirectory["models"], name: string): string | undefined {
  const tagged = addDefaultTag(name);
  return models.find(({ alias, aliases }) =>
    [alias, ...aliases].some((one) => addDefaultTag(one) === tagged),
  )?.alias;
}

function adapterOf(models: ModelDirectory["models"], name: string): string | undefined {
  const tagged = addDefaultTag(name);
  const adapters = models.flatMap((model) => model.adapters);
  return adapters.find((adapter) => addDefaultTag(adapter.name) === tagged)?.name;
}

/**
 * Returns the model that a client names; without a name, the first model. Does not load it.
 * @throws {GgufdError} `model_not_found`, `model_loading`, `model_unavailable`, `shutting_down`
 */
export async function findNamedEntry(
  { models, library }: ModelContext & LibraryContext,
  name: string | undefined,
): Promise<LibraryModel> {
  return library.findEntry(resolveServedName(models, name) ?? models.findEntry(undefined).alias);
}

/**
 * Returns the alias of a new model: the alias of an existing model that it replaces, or the given
 * name without the default tag.
 */
export function resolveNewName({ models }: Pick<ModelDirectory, "models">, name: string): string {
  return aliasOf(models, name) ?? withoutDefaultTag(name);
}

const PART = String.raw`\w[\w.-]{0,79}`;
const REGISTRY = String.raw`(?:registry\.ollama\.ai|ollama\.com)\/`;
const OLLAMA_NAME = String.raw`(?:ollama:)?(?:${REGISTRY})?(?:${PART}\/)?${PART}(?::${PART})?`;
const HUB_PART = String.raw`\w[\w.-]{0,95}`;
const HUB_NAME = String.raw`(?:hf:|hf\.co\/|huggingface\.co\/)${HUB_PART}\/${HUB_PART}(?::${PART})?`;

/**
 * Name of a model to pull, from Ollama's registry or Hugging Face. Other registries are refused, so
 * that clients cannot choose the hosts that this server contacts.
 */
export const nameToPull = textLike(
  new RegExp(`^(?:${HUB_NAME}|${OLLAMA_NAME})$`),
  "expected a model from Ollama's registry, such as llama3.2:1b or user/name:tag, or from Hugging Face, such as hf.co/user/repo:QUANT",
);

/**
 * Converts the name of a model to pull to the library's form. A name without a source refers to
 * Ollama's registry.
 */
export function toPullName(name: string): string {
  if (name.startsWith("hf:") || HUB.test(name)) {
    return `hf:${withoutDefaultTag(name.replace(HUB, "").replace(/^hf:/, ""))}`;
  }
  return `ollama:${name.replace(/^ollama:/, "").replace(new RegExp(`^${REGISTRY}`), "")}`;
}

/** Name of a model to create, in the format of Ollama's registry. */
export const newModelName = textLike(
  new RegExp(String.raw`^(?:${PART}\/){0,2}${PART}(?::${PART})?$`),
  "expected a model's name, such as mine or user/mine:tag",
);

function textLike(pattern: RegExp, error: string) {
  return z.string({ error }).regex(pattern, { error });
}

const MAX_NAME_CHARACTERS = 512;
const PATH_BEGINNING = /^[/~.]/;
const PATH_INSIDE = /\\|:\/|\/\/|\/\.{0,2}$|\/\.{1,2}\//u;

/** Name of an existing model. Names of files are accepted, paths are not. */
export const storedModelName = nonEmptyText().refine(
  (name) =>
    name.length <= MAX_NAME_CHARACTERS &&
    !PATH_BEGINNING.test(name) &&
    !PATH_INSIDE.test(name) &&
    !hasHiddenCharacters(name),
  {
    error: `expected a model's name of at most ${MAX_NAME_CHARACTERS} characters, no path and no URL, without control or format characters`,
  },
);

/**
 * Reads the model name of a request. Older Ollama clients call the field `name`.
 * @throws {GgufdError} `invalid_request`: there is no name
 */
export function readModelName({
  model,
  name,
}: {
  readonly model?: string;
  readonly name?: string;
}): string {
  const requestedName = model ?? name;
  if (requestedName !== undefined) return requestedName;
  const reason = "expected a model's name, got nothing";
  throw createRefusal("invalid_request", [{ field: "model", reason }]);
}
