import type { Engine } from "../core/engine.js";
import type { PreparerSettings } from "../engine/prompt-preparer.js";
import type { Ping, Pong } from "./model-protocol.js";
import type { AnswerMessage, CallMessage } from "./rpc.js";

/** What the process that prepares large prompts can be asked. */
export type PreparerMethods = Pick<Engine, "prepare" | "ask">;

/** Messages from the daemon to the process that prepares large prompts. */
export type ToPreparer =
  | { readonly type: "load"; readonly settings: PreparerSettings }
  | Ping
  | CallMessage;

/** Its answers. */
export type FromPreparer = { readonly type: "loaded" } | Pong | AnswerMessage;
