import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import { toErrorRecord } from "./error-record.js";
import type { AskAnswer, AskCall, PrepareAnswer, PrepareCall } from "./protocol.js";

/** What answers calls. */
export interface Answering {
  prepare(request: GenerationRequest): PreparedGeneration | Promise<PreparedGeneration>;
  ask(question: TextQuestion): TextAnswer | Promise<TextAnswer>;
}

/**
 * Answers a call with what it asks for, or with the error. Never rejects.
 * @param answering throws if nothing is loaded
 */
export async function answerCall(
  call: PrepareCall | AskCall,
  answering: () => Answering,
): Promise<PrepareAnswer | AskAnswer> {
  const { callId, type } = call;
  try {
    if (type === "prepare") {
      return { type: "prepared", callId, prepared: await answering().prepare(call.request) };
    }
    return { type: "answered", callId, answer: await answering().ask(call.question) };
  } catch (error) {
    const failed = type === "prepare" ? "not-prepared" : "not-answered";
    return { type: failed, callId, error: toErrorRecord(error) };
  }
}
