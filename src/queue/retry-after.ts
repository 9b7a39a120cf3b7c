export interface QueueProgress {
  /** Requests that wait for a slot. */
  readonly waiting: number;
  readonly slots: number;
  /** What a request takes once it has a slot, in milliseconds; `undefined`: not known yet. */
  readonly serviceMs: number | undefined;
}

/** Clients honour a Retry-After of at most a minute. */
const MAX_RETRY_AFTER_SECONDS = 60;
/** Where nothing has been measured yet. */
const ASSUMED_SERVICE_MS = 1000;

/** Value of `Retry-After`: the seconds in which what waits now will have got its slots, 1 to 60. */
export function retryAfterSeconds({ waiting, slots, serviceMs }: QueueProgress): number {
  const rounds = Math.ceil(waiting / slots);
  const seconds = Math.ceil((rounds * (serviceMs ?? ASSUMED_SERVICE_MS)) / 1000);
  return Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER_SECONDS);
}
