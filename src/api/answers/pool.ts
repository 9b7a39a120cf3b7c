import type { Caller } from "../../core/caller.js";
import { GgufdError } from "../../core/errors.js";
import type { PoolingAnswer, PoolingRequest, PoolingService } from "../../core/pooling.js";

/**
 * What a model makes of a request's inputs.
 * @returns `undefined` when the client disconnected
 * @throws {GgufdError} the errors of {@link PoolingService.pool}
 */
export async function poolUnlessGone(
  pooling: PoolingService,
  request: PoolingRequest,
  caller: Caller,
): Promise<PoolingAnswer | undefined> {
  try {
    return await pooling.pool(request, caller);
  } catch (error) {
    const { aborted, reason } = caller.signal;
    if (aborted && !(reason instanceof GgufdError)) return undefined;
    throw error;
  }
}
