import { preview } from "../../validation/preview.js";
import { ModelError } from "../model-error.js";
import { hasTag } from "./gguf-name.js";
import { originOf, type StoredModel } from "./stored-model.js";

/** As many candidates as an error names. */
const MAX_CANDIDATES = 8;

/** What an error says of each place. */
export const placeTitles: Readonly<Record<StoredModel["place"], string>> = {
  pulled: "ggufd",
  folder: "ggufd's folder",
  added: "added",
  "hugging-face": "Hugging Face's cache",
  ollama: "Ollama",
  "lm-studio": "LM Studio",
};

/**
 * Finds a model by what it is called: its name, then other spellings of it, then its quantisation as part of the file
 * name, `user/repo:UD-Q4_K_XL`, then all of that without regard to upper and lower case. The path of its first file
 * always means this one.
 * @returns `undefined`: there is none
 * @throws {ModelError} `ambiguous`: several have the name, which the message lists
 */
export function findModel(models: readonly StoredModel[], name: string): StoredModel | undefined {
  const lower = name.toLowerCase();
  const tests: readonly ((model: StoredModel) => boolean)[] = [
    ({ files }) => files[0].path === name,
    (model) => model.name === name,
    ({ aliases }) => aliases.includes(name),
    (model) => isOfTag(model, name),
    (model) => model.name.toLowerCase() === lower,
    ({ aliases }) => aliases.some((alias) => alias.toLowerCase() === lower),
  ];
  for (const test of tests) {
    const candidates = withoutCopies(models.filter(test));
    if (candidates.length > 1) throw ambiguous(name, candidates);
    if (candidates[0] !== undefined) return candidates[0];
  }
  return undefined;
}

/** `hf:user/repo:TAG`, with a tag that is only part of what the file's name says. */
function isOfTag(model: StoredModel, name: string): boolean {
  const { repo, tag } = /^(?:hf:)?(?<repo>[^:]+\/[^:]+):(?<tag>[^:]+)$/.exec(name)?.groups ?? {};
  const origin = originOf(model);
  return (
    origin?.kind === "hugging-face" &&
    repo !== undefined &&
    tag !== undefined &&
    // One that was pulled at a certain revision has this in the name of its repository.
    model.aliases.includes(repo) &&
    hasTag(origin.file, tag)
  );
}

/** The same model in two places is found in the first: in ggufd's own folder, if it is there. */
function withoutCopies(models: readonly StoredModel[]): readonly StoredModel[] {
  const seen = new Set<string>();
  return models.filter((model) => {
    const identity = identityOf(model);
    const isCopy = seen.has(identity);
    seen.add(identity);
    return !isCopy;
  });
}

function identityOf(model: StoredModel): string {
  const origin = originOf(model);
  switch (origin?.kind) {
    case "hugging-face":
      return `${origin.repo}/${origin.file}`;
    case "ollama":
      return `ollama:${origin.name}`;
    default:
      return model.files[0].path;
  }
}

function ambiguous(name: string, candidates: readonly StoredModel[]): ModelError {
  const named = candidates.slice(0, MAX_CANDIDATES).map((model) => {
    const isTold = candidates.filter((other) => other.name === model.name).length === 1;
    return `${isTold ? model.name : model.files[0].path} (${placeTitles[model.place]})`;
  });
  const more = candidates.length - named.length;
  const list = [...named, ...(more === 0 ? [] : [`${more} more`])].join(", ");
  return new ModelError(
    "ambiguous",
    `${preview(name)}: expected the name of one model, got that of ${list}`,
  );
}
