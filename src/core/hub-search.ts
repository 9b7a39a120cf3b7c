import type { MemoryUse } from "./memory-use.js";

/** Search for models at the Hugging Face hub. */
export interface HubQuery {
  /** Words of the repositories' names. */
  readonly text: string;
  /** Maximum number of repositories. */
  readonly limit: number;
}

/** Result of a search, most downloaded repositories first. */
export interface HubSearch {
  /** Origin of the hub, or of its mirror. */
  readonly hub: string;
  readonly repositories: readonly HubRepository[];
  /** Memory that models may use on this machine. */
  readonly budget: MemoryUse;
}

/** Repository with GGUF files. */
export interface HubRepository {
  /** `user/repo` */
  readonly name: string;
  readonly downloads: number;
  readonly likes: number;
  /** `undefined`: not stated. */
  readonly license: string | undefined;
  /** Whether downloads need the token of a user who has accepted the repository's terms. */
  readonly isGated: boolean;
  /** Task as named by the hub, such as `text-generation`. */
  readonly task: string | undefined;
  readonly architecture: string | undefined;
  readonly parameters: number | undefined;
  /** Context length that the model was trained with, in tokens. */
  readonly trainContextSize: number | undefined;
  /** Models of the repository, smallest first; `undefined`: the hub did not list its files. */
  readonly quantizations: readonly HubQuantization[] | undefined;
}

/** Model of a repository in one quantisation. */
export interface HubQuantization {
  /** Name to pull it by: `hf:user/repo:Q4_K_M`. */
  readonly pullName: string;
  /** Quantisation, or the name of the file. */
  readonly label: string;
  /** Size of all files that a pull downloads. */
  readonly sizeBytes: number;
  /** Whether a pull downloads a projector for images or audio. */
  readonly hasProjector: boolean;
}
