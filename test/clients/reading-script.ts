import type { ChatGenerationRequest } from "../../src/core/generation-request.js";
import type { Script } from "../support/scripted-engine.js";

/**
 * Calls a client's tool, with arguments that arrive in two pieces, and answers after its result.
 * @param tool name of the tool that reads a file
 * @param args its arguments in JSON
 */
export function readingScript(tool: string, args: string) {
  const call = { id: "1", name: tool, arguments: [args.slice(0, 5), args.slice(5)] };
  return ({ prompt }: ChatGenerationRequest): Script =>
    prompt.messages.at(-1)?.role === "tool"
      ? { parts: ["It is ", "so."] }
      : { parts: ["Let me see.", { call }], ending: "tool-calls" };
}
