import type { GpuChoice } from "../engine/native/llama-backend.js";
import { type NativeThreads, poolEnvironment } from "../engine/native/native-threads.js";
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

/** A connection to a running engine process. */
export type EngineChannel = Channel<ToEngine>;

export type OpenChannel = (
  listener: ChannelListener<FromEngine>,
  nativeThreads: NativeThreads,
) => EngineChannel;

/** Node's default for its largest size. */
const YOUNG_MIB = 16;

/**
 * What V8 does beside an engine's JavaScript takes cores from the steps: it collects garbage on one thread, and compiles
 * functions on their first call, quickly, so that they wait less for its optimised code, which takes it longer. Its young
 * generation has the size from the start that it would grow to: reading a model's header fills a small one again and again.
 */
const ENGINE_FLAGS = [
  "--single-threaded-gc",
  "--always-sparkplug",
  `--min-semi-space-size=${YOUNG_MIB}`,
];

/** Starts an engine process. */
export const forkEngine: OpenChannel = (listener, nativeThreads) =>
  forkProcess<ToEngine, FromEngine>(program("engine-main"), listener, {
    environment: poolEnvironment(nativeThreads),
    nodeFlags: ENGINE_FLAGS,
  });

/** Its start takes a core for a second or two: by then, whoever waited for the model before has begun to get an answer. */
const NEXT_AFTER_MS = 2000;

/** Starts engine processes for models that somebody waits for: as long as another one may come, ahead of that. */
export class EnginesAhead {
  readonly #spare: SpareProcess<ToEngine, FromEngine>;
  readonly #mayCome: () => boolean;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param gpu of the models that may come
   * @param mayCome whether there is a model that may be asked for and is not loaded
   */
  constructor(gpu: () => GpuChoice, mayCome: () => boolean) {
    this.#spare = new SpareProcess(
      (listener) => forkEngine(listener, "one"),
      () => ({ type: "prepare-loading", gpu: gpu() }),
    );
    this.#mayCome = mayCome;
  }

  readonly open: OpenChannel = (listener, nativeThreads) => {
    clearTimeout(this.#timer);
    return nativeThreads === "one"
      ? this.#spare.take(listener)
      : forkEngine(listener, nativeThreads);
  };

  /** Starts the next one, in a while. To be called when models have been loaded. */
  startNext(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#mayCome()) this.#spare.start();
    }, NEXT_AFTER_MS).unref();
  }

  /** Ends the one that waits. */
  close(): void {
    clearTimeout(this.#timer);
    this.#spare.close();
  }
}

/** Starts a process that prepares prompts: where cores are scarce, these wait for the streams rather than they for them. */
export const forkPreparer: OpenPreparer = (listener) =>
  forkProcess<ToPreparer, FromPreparer>(program("preparer-main"), listener, {
    priority: "below-normal",
  });

/** Starts the process of a pooling model. */
export const forkPooling: RemotePoolingOptions["open"] = (listener, nativeThreads) =>
  forkProcess<ToPooling, FromPooling>(program("pooling-main"), listener, {
    environment: poolEnvironment(nativeThreads),
  });

function program(name: string): URL {
  return new URL(`./${name}.js`, import.meta.url);
}
