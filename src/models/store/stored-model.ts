import { sumBy } from "../../core/sum-by.js";

/** File on this machine. */
export interface StoredFile {
  /** Absolute path. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Hexadecimal digest, if known without reading the file. */
  readonly sha256: string | undefined;
}

/** File of a Hugging Face repository. */
export interface HuggingFaceOrigin {
  readonly kind: "hugging-face";
  /** `user/repo` */
  readonly repo: string;
  /** Commit id. */
  readonly revision: string;
  /** Path of the first part in the repository. */
  readonly file: string;
}

/** Tag of an Ollama registry. */
export interface OllamaOrigin {
  readonly kind: "ollama";
  /** Name as printed by Ollama: `llama3.2:latest`. */
  readonly name: string;
  /** Texts that accompany the weights, each in a separate file; see {@link readOllamaTexts}. */
  readonly texts: readonly OllamaText[];
}

/** Kinds of texts that Ollama stores with a model. */
export const ollamaTextKinds = ["template", "system", "params", "messages", "license"] as const;

export interface OllamaText {
  readonly kind: (typeof ollamaTextKinds)[number];
  readonly path: string;
  readonly sizeBytes: number;
}

export interface UrlOrigin {
  readonly kind: "url";
  readonly url: string;
}

/** Another model on this machine. */
export interface MadeOrigin {
  readonly kind: "made";
  /** Name of that model. */
  readonly from: string;
  /** Texts that the derived model adds, such as a template or a system prompt. */
  readonly texts: readonly OllamaText[];
}

/** Origin of a model. */
export type ModelOrigin = HuggingFaceOrigin | OllamaOrigin | UrlOrigin | MadeOrigin;

/** Files of a model, and its names. */
export interface NamedFiles {
  /** Name in the spelling of the program that the files belong to. */
  readonly name: string;
  /** Other spellings, which need not be unique. */
  readonly aliases: readonly string[];
  /** Parts in order; the first one is the one to load. */
  readonly files: readonly [StoredFile, ...StoredFile[]];
  /** Projector for images or audio, if there is one. */
  readonly projector: StoredFile | undefined;
  /** LoRA adapters that belong to the model. */
  readonly adapters: readonly StoredFile[];
}

/** Location of a model's files, which determines who may remove them. */
export type Place =
  /** In ggufd's folder, with a manifest. */
  | {
      readonly place: "pulled";
      readonly origin: ModelOrigin;
      readonly manifestPath: string;
      /** Canonical names that the model was pulled by, as returned by `toCanonicalName`. */
      readonly sources: readonly string[];
      /** RFC 3339. */
      readonly pulledAt: string;
    }
  /** In ggufd's folder, put there by a user. */
  | { readonly place: "folder" }
  /** Registered with `ggufd add`, as this file or folder. */
  | { readonly place: "added"; readonly addedPath: string }
  | { readonly place: "hugging-face"; readonly origin: HuggingFaceOrigin }
  | { readonly place: "ollama"; readonly origin: OllamaOrigin }
  | { readonly place: "lm-studio" };

/** Complete model on this machine. Plain data. */
export type StoredModel = NamedFiles & Place;

/** Returns the files of a model that count towards its size, in no particular order. */
export function filesOf({ files, projector, adapters }: NamedFiles): readonly StoredFile[] {
  return [...files, ...(projector === undefined ? [] : [projector]), ...adapters];
}

export function sizeOf(model: NamedFiles): number {
  return sumBy(filesOf(model), ({ sizeBytes }) => sizeBytes);
}

/** Returns the modification time of a model's newest file. */
export function modifiedMsOf(model: NamedFiles): number {
  return Math.max(...filesOf(model).map(({ modifiedMs }) => modifiedMs));
}

/**
 * Returns the texts that accompany a model's weights, such as its template and its license; see
 * {@link readOllamaTexts}.
 */
export function textsOf(model: StoredModel): readonly OllamaText[] {
  const origin = originOf(model);
  return origin !== undefined && "texts" in origin ? origin.texts : [];
}

/** Returns the origin of a model, if known. */
export function originOf(model: StoredModel): ModelOrigin | undefined {
  return "origin" in model ? model.origin : undefined;
}
