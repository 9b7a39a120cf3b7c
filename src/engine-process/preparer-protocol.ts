import type { PreparerSettings } from "../engine/prompt-preparer.js";
import type { Ping, Pong } from "./model-protocol.js";
import type { AskAnswer, AskCall, PrepareAnswer, PrepareCall } from "./protocol.js";

/** Messages from the daemon to the process that prepares large prompts. */
export type ToPreparer =
  | { readonly type: "load"; readonly settings: PreparerSettings }
  | Ping
  | PrepareCall
  | AskCall;

/** Its answers. */
export type FromPreparer = { readonly type: "loaded" } | Pong | PrepareAnswer | AskAnswer;
