import type { GpuChoice } from "../engine/native/llama-backend.js";
import {
  buildPoolEnvironment,
  type NativeThreads,
  POOLING_ENVIRONMENT,
} from "../engine/native/native-threads.js";
import { type Channel, type ChannelListener, forkProcess } from "./process-channel.js";
import type {
  FromEngine,
  FromPooling,
  FromPreparer,
  ToEngine,
  ToPooling,
  ToPreparer,
} from "./protocol.js";
import { SpareProcess } from "./spare-process.js";
import type { RemotePoolingOptions } from "./supervised-pooling.js";
import type { OpenPreparer } from "./supervised-preparer.js";

/** Connection to a running engine process. */
export type EngineChannel = Channel<ToEngine>;

export type OpenChannel = (
  listener: ChannelListener<FromEngine>,
  nativeThreads: NativeThreads,
) => EngineChannel;

/** Node's default maximum of the semi-space size, in MiB. */
const SEMI_SPACE_MIB = 16;

/**
 * V8 flags that keep an engine's JavaScript from taking cores from the steps. V8 collects garbage
 * on one thread. It compiles functions at their first call with the fast baseline compiler, so that
 * they wait less for the slower optimising one. The young generation starts at its maximum size:
 * reading a model's header would fill a small one repeatedly.
 */
const ENGINE_FLAGS = [
  "--single-threaded-gc",
  "--always-sparkplug",
  `--min-semi-space-size=${SEMI_SPACE_MIB}`,
];

/** Starts an engine process. */
export const forkEngine: OpenChannel = (listener, nativeThreads) =>
  forkProcess<ToEngine, FromEngine>(toProgramUrl("engine-main"), listener, {
    environment: buildPoolEnvironment(nativeThreads),
    nodeFlags: ENGINE_FLAGS,
  });

/**
 * Delay before the next spare process starts, in milliseconds. The start takes a core for a second
 * or two; after the delay, the requests that waited for the previous model have begun to receive
 * their answers.
 */
const SPARE_START_DELAY_MS = 2000;

/**
 * Starts engine processes in advance: the first one while the daemon itself starts, then one for
 * the next model that may be requested.
 */
export class SpareEngines {
  readonly #spare: SpareProcess<ToEngine, FromEngine>;
  #timer: NodeJS.Timeout | undefined;

  /** @param gpu returns the GPU setting of the models that may be requested */
  constructor(gpu: () => GpuChoice) {
    this.#spare = new SpareProcess(
      (listener) => forkEngine(listener, "one"),
      () => ({ type: "prepare-loading", gpu: gpu() }),
    );
  }

  readonly open: OpenChannel = (listener, nativeThreads) => {
    clearTimeout(this.#timer);
    return nativeThreads === "one"
      ? this.#spare.take(listener)
      : forkEngine(listener, nativeThreads);
  };

  /** Starts a spare process, unless there is one already. */
  startNow(): void {
    this.#spare.start();
  }

  /**
   * Starts the next spare process after a delay, or kills the spare one if it is not needed. To be
   * called when models have been loaded.
   * @param isNeeded returns whether there is a model that may be requested and is not loaded
   */
  startNext(isNeeded: () => boolean): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (isNeeded()) this.#spare.start();
      else this.#spare.drop();
    }, SPARE_START_DELAY_MS).unref();
  }

  /** Kills the spare process and cancels a scheduled start. */
  close(): void {
    clearTimeout(this.#timer);
    this.#spare.close();
  }
}

/**
 * Starts a process that prepares prompts, at lower priority: when cores are scarce, new prompts
 * wait rather than running streams.
 */
export const forkPreparer: OpenPreparer = (listener) =>
  forkProcess<ToPreparer, FromPreparer>(toProgramUrl("preparer-main"), listener, {
    priority: "below-normal",
  });

/** Starts the process of a pooling model. */
export const forkPooling: RemotePoolingOptions["open"] = (listener) =>
  forkProcess<ToPooling, FromPooling>(toProgramUrl("pooling-main"), listener, {
    environment: POOLING_ENVIRONMENT,
  });

function toProgramUrl(name: string): URL {
  return new URL(`./${name}.js`, import.meta.url);
}
