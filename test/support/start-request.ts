import { randomInt } from "node:crypto";
import type { EmitGeneration, Engine } from "../../src/core/engine.js";
import type { GenerationRequest } from "../../src/core/generation-request.js";

/** Prepares a request, and starts its only answer. */
export async function startRequest(
  engine: Engine,
  request: GenerationRequest,
  emit: EmitGeneration,
): Promise<void> {
  const { id, sampling } = request;
  await engine.prepare(request);
  engine.start({ id, requestId: id, seed: sampling.seed ?? randomInt(2 ** 32) }, emit);
  engine.release(id);
}
