import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import { toErrorRecord } from "./error-record.js";
import type { PrepareAnswer, PrepareCall } from "./protocol.js";

/** Answers a call with what it prepares, or with the error. Never rejects. */
export async function answerCall(
  { callId, request }: PrepareCall,
  prepare: (request: GenerationRequest) => PreparedGeneration | Promise<PreparedGeneration>,
): Promise<PrepareAnswer> {
  try {
    return { type: "prepared", callId, prepared: await prepare(request) };
  } catch (error) {
    return { type: "not-prepared", callId, error: toErrorRecord(error) };
  }
}
