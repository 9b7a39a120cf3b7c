import type { ChatRequest, CommonRequest, GenerateRequest } from "./request-schema.js";

/** What a request without anything to answer asks for. */
export type ModelChange = "load" | "unload";

/** @returns `undefined`: the request asks for an answer */
export function changeAskedInChat(body: ChatRequest): ModelChange | undefined {
  return (body.messages ?? []).length === 0 ? changeOf(body) : undefined;
}

/** @returns `undefined`: the request asks for an answer */
export function changeAskedInGenerate(body: GenerateRequest): ModelChange | undefined {
  return (body.prompt ?? "") === "" && (body.suffix ?? "") === "" ? changeOf(body) : undefined;
}

function changeOf({ keep_alive: keepAlive }: CommonRequest): ModelChange {
  return isZero(keepAlive) ? "unload" : "load";
}

/** Also of a duration: `0`, `0s`, `0h0m`. */
function isZero(keepAlive: CommonRequest["keep_alive"]): boolean {
  return keepAlive !== undefined && !/[1-9]/.test(String(keepAlive));
}
