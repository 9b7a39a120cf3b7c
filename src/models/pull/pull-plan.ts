import type { PulledFile } from "../../core/pull-event.js";
import type {
  HuggingFaceOrigin,
  NamedFiles,
  OllamaOrigin,
  OllamaText,
  UrlOrigin,
} from "../store/stored-model.js";
import type { Authorization, SourceClient } from "./source-client.js";

/** A file that a source has for a model. */
export type PlannedFile = PulledFile & {
  readonly url: URL;
  readonly authorization: Authorization;
} & (
    | { readonly role: "model" | "projector" | "adapter" }
    | { readonly role: "text"; readonly kind: OllamaText["kind"] }
  );

/** What a source has for a name, before anything is downloaded. */
export interface PullPlan extends Pick<NamedFiles, "name" | "aliases"> {
  /** Of the manifest, below the folder of manifests and without `.json`. */
  readonly manifestPlace: string;
  /** The parts of the model come first, in their order. */
  readonly files: readonly PlannedFile[];
  /** The texts of an Ollama model are among its files. */
  readonly origin: HuggingFaceOrigin | Omit<OllamaOrigin, "texts"> | UrlOrigin;
}

/** What it takes to ask a source. */
export interface Inquiry {
  readonly client: SourceClient;
  readonly signal: AbortSignal;
}
