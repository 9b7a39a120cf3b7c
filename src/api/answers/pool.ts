import type { PoolingAnswer, PoolingRequest, PoolingService } from "../../core/pooling.js";

/**
 * What a model makes of a request's inputs.
 * @returns `undefined` when the client disconnected
 * @throws {GgufdError} the errors of {@link PoolingService.pool}
 */
export async function poolUnlessGone(
  pooling: PoolingService,
  request: PoolingRequest,
  signal: AbortSignal,
): Promise<PoolingAnswer | undefined> {
  try {
    return await pooling.pool(request, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
