import type { PulledFile } from "../../core/pull-event.js";
import type {
  HuggingFaceOrigin,
  NamedFiles,
  OllamaOrigin,
  OllamaText,
  UrlOrigin,
} from "../store/stored-model.js";
import type { Authorization, SourceClient } from "./source-client.js";

/** File of a model at its source. */
export type PlannedFile = PulledFile & {
  readonly url: URL;
  readonly authorization: Authorization;
} & (
    | { readonly role: "model" | "projector" | "adapter" }
    | { readonly role: "text"; readonly kind: OllamaText["kind"] }
  );

/** Files and names of a model at its source, before anything is downloaded. */
export interface PullPlan extends Pick<NamedFiles, "name" | "aliases"> {
  /** Path of the manifest below the manifest folder, without `.json`. */
  readonly manifestKey: string;
  /** Files to pull; the parts of the model come first, in their order. */
  readonly files: readonly PlannedFile[];
  /** Origin of the model; the texts of an Ollama model are listed in `files`. */
  readonly origin: HuggingFaceOrigin | Omit<OllamaOrigin, "texts"> | UrlOrigin;
}

/** Client and signal for requests to a source. */
export interface Inquiry {
  readonly client: SourceClient;
  readonly signal: AbortSignal;
}
