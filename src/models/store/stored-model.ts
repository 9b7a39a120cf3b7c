import { sumOf } from "../../core/sum-of.js";

/** A file on this machine. */
export interface StoredFile {
  /** Absolute. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** In hexadecimal digits, where it is known without reading the file. */
  readonly sha256: string | undefined;
}

/** A file of a repository of Hugging Face. */
export interface HuggingFaceOrigin {
  readonly kind: "hugging-face";
  /** `user/repo` */
  readonly repo: string;
  /** The commit. */
  readonly revision: string;
  /** Path in the repository, of the first part. */
  readonly file: string;
}

/** A tag of an Ollama registry. */
export interface OllamaOrigin {
  readonly kind: "ollama";
  /** As Ollama prints it: `llama3.2:latest`. */
  readonly name: string;
  /** What it says beside the weights, each in a file of its own; see {@link readOllamaTexts}. */
  readonly texts: readonly OllamaText[];
}

/** What Ollama keeps as text beside a model. */
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
  /** The name of that model. */
  readonly from: string;
  /** Its own ones. */
  readonly texts: readonly OllamaText[];
}

/** Where a model comes from, and what is known of it there. */
export type ModelOrigin = HuggingFaceOrigin | OllamaOrigin | UrlOrigin | MadeOrigin;

/** The files of a model, and what it is called. */
export interface NamedFiles {
  /** As users of the program write it that the files belong to. */
  readonly name: string;
  /** Other spellings, which may be those of another model too. */
  readonly aliases: readonly string[];
  /** The parts in their order: the first one is the one to load. */
  readonly files: readonly [StoredFile, ...StoredFile[]];
  /** For images or sounds, if there is one beside the model. */
  readonly projector: StoredFile | undefined;
  /** LoRA adapters that belong to the model. */
  readonly adapters: readonly StoredFile[];
}

/** Where the files of a model are, and so who may remove them. */
export type Place =
  /** In ggufd's folder, with a manifest. */
  | {
      readonly place: "pulled";
      readonly origin: ModelOrigin;
      readonly manifestPath: string;
      /** The names that it was pulled by, in the spelling that `canonicalName` gives them. */
      readonly sources: readonly string[];
      /** RFC 3339. */
      readonly pulledAt: string;
    }
  /** In ggufd's folder, put there by somebody. */
  | { readonly place: "folder" }
  /** Noted with `ggufd add`, as this file or folder. */
  | { readonly place: "added"; readonly notedPath: string }
  | { readonly place: "hugging-face"; readonly origin: HuggingFaceOrigin }
  | { readonly place: "ollama"; readonly origin: OllamaOrigin }
  | { readonly place: "lm-studio" };

/** A complete model on this machine. Plain data. */
export type StoredModel = NamedFiles & Place;

/** All files of a model that take room, in no order that means anything. */
export function filesOf({ files, projector, adapters }: NamedFiles): readonly StoredFile[] {
  return [...files, ...(projector === undefined ? [] : [projector]), ...adapters];
}

export function sizeOf(model: NamedFiles): number {
  return sumOf(filesOf(model), ({ sizeBytes }) => sizeBytes);
}

/** When the newest file of a model was written. */
export function modifiedMsOf(model: NamedFiles): number {
  return Math.max(...filesOf(model).map(({ modifiedMs }) => modifiedMs));
}

/** What its source or its maker says of a model, each text in a file of its own; see {@link readOllamaTexts}. */
export function textsOf(model: StoredModel): readonly OllamaText[] {
  const origin = originOf(model);
  return origin !== undefined && "texts" in origin ? origin.texts : [];
}

/** What is known of where a model comes from. */
export function originOf(model: StoredModel): ModelOrigin | undefined {
  return "origin" in model ? model.origin : undefined;
}
