import { z } from "zod";
import { refusalOf } from "../../core/errors.js";
import { hasHiddenCharacters } from "../../core/hidden-characters.js";
import type { ModelDirectory } from "../../core/model-directory.js";
import type { LibraryModel } from "../../core/model-library.js";
import { nonEmptyText } from "../../validation/fields.js";
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
 * pulled from Hugging Face; an adapter of that name; an unknown name as it is.
 */
export function servedName(
  { models }: Pick<ModelDirectory, "models">,
  name: string | undefined,
): string | undefined {
  if (name === undefined) return undefined;
  const known = aliasOf(models, name) ?? adapterOf(models, name);
  return known ?? (HUB.test(name) ? pulledName(name) : name);
}

function aliasOf(models: ModelDirectory["models"], name: string): string | undefined {
  const tagged = taggedName(name);
  return models.find(({ alias }) => taggedName(alias) === tagged)?.alias;
}

function adapterOf(models: ModelDirectory["models"], name: string): string | undefined {
  const tagged = taggedName(name);
  const adapters = models.flatMap((model) => model.adapters);
  return adapters.find((adapter) => taggedName(adapter.name) === tagged)?.name;
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

/** The name that a new model gets: of one that is there, which it replaces, or without the default tag. */
export function newName({ models }: Pick<ModelDirectory, "models">, name: string): string {
  return aliasOf(models, name) ?? withoutDefaultTag(name);
}

const PART = String.raw`\w[\w.-]{0,79}`;
const REGISTRY = String.raw`(?:registry\.ollama\.ai|ollama\.com)\/`;
const OF_OLLAMA = String.raw`(?:ollama:)?(?:${REGISTRY})?(?:${PART}\/)?${PART}(?::${PART})?`;
const HUB_PART = String.raw`\w[\w.-]{0,95}`;
const OF_HUB = String.raw`(?:hf:|hf\.co\/|huggingface\.co\/)${HUB_PART}\/${HUB_PART}(?::${PART})?`;

/** A name to pull by. Other registries are refused: no client says which hosts this server asks. */
export const nameToPull = textLike(
  new RegExp(`^(?:${OF_HUB}|${OF_OLLAMA})$`),
  "expected a model of Ollama's registry, such as llama3.2:1b or user/name:tag, or of Hugging Face, such as hf.co/user/repo:QUANT",
);

/** A name to pull by as the library knows it. A name without a source is of Ollama's registry. */
export function pulledName(name: string): string {
  if (name.startsWith("hf:") || HUB.test(name)) {
    return `hf:${withoutDefaultTag(name.replace(HUB, "").replace(/^hf:/, ""))}`;
  }
  return `ollama:${name.replace(/^ollama:/, "").replace(new RegExp(`^${REGISTRY}`), "")}`;
}

/** The name of a model that a client makes: as of Ollama's registry. */
export const nameToGive = textLike(
  new RegExp(String.raw`^(?:${PART}\/){0,2}${PART}(?::${PART})?$`),
  "expected a model's name, such as mine or user/mine:tag",
);

function textLike(pattern: RegExp, error: string) {
  return z.string({ error }).regex(pattern, { error });
}

const MAX_NAME_CHARACTERS = 512;
const PATH_BEGINNING = /^[/~.]/;
const PATH_INSIDE = /\\|:\/|\/\/|\/\.{0,2}$|\/\.{1,2}\//u;

/** The name of a model that is there. Files have names here, and paths are none of them. */
export const nameOfStored = nonEmptyText().refine(
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
 * The name in a request: Ollama's older clients call it `name`.
 * @throws {GgufdError} `invalid_request`: there is none
 */
export function nameIn({
  model,
  name,
}: {
  readonly model?: string;
  readonly name?: string;
}): string {
  const given = model ?? name;
  if (given !== undefined) return given;
  const reason = "expected a model's name, got nothing";
  throw refusalOf("invalid_request", [{ field: "model", reason }]);
}
