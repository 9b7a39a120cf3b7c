import type { FromPreparer, ToPreparer } from "./preparer-protocol.js";
import { type Channel, type ChannelListener, forkProcess } from "./process-channel.js";
import type { FromEngine, ToEngine } from "./protocol.js";
import type { OpenPreparer } from "./supervised-preparer.js";

/** A connection to a running engine process. */
export type EngineChannel = Channel<ToEngine>;

export type OpenChannel = (listener: ChannelListener<FromEngine>) => EngineChannel;

/**
 * All native work of the engine runs in Node's thread pool, one batch after the other. If
 * consecutive batches ran on different pool threads, they would compete with llama.cpp's own
 * threads for cores: with two cores a token took up to twice as long. A value set in the
 * environment takes precedence.
 */
const SINGLE_POOL_THREAD = { UV_THREADPOOL_SIZE: "1" };

/** Starts an engine process. */
export const forkEngine: OpenChannel = (listener) =>
  forkProcess<ToEngine, FromEngine>("./main.js", SINGLE_POOL_THREAD, listener);

/** Starts a process that prepares prompts. */
export const forkPreparer: OpenPreparer = (listener) =>
  forkProcess<ToPreparer, FromPreparer>("./preparer-main.js", {}, listener);
