import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { PreparerSettings } from "../engine/prompt-preparer.js";
import type { ErrorRecord } from "./error-record.js";

/** Messages from the daemon to the process that prepares large prompts. */
export type ToPreparer =
  | { readonly type: "load"; readonly settings: PreparerSettings }
  | { readonly type: "prepare"; readonly callId: number; readonly request: GenerationRequest };

/** Its answers. */
export type FromPreparer =
  | { readonly type: "loaded" }
  | { readonly type: "prepared"; readonly callId: number; readonly prepared: PreparedGeneration }
  | { readonly type: "not-prepared"; readonly callId: number; readonly error: ErrorRecord };
