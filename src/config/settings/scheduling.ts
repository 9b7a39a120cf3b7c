import { integerBetween, trueOrFalse } from "../../validation/fields.js";
import { positiveInteger, type Setting } from "./setting.js";

/** How long requests wait and take, and how many may wait. */
export const schedulingSettings = {
  maxQueue: {
    schema: integerBetween(0, Number.MAX_SAFE_INTEGER).default(2048),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "requests that may wait for a slot; beyond that the answer is 503",
  },
  maxQueuedTokens: {
    // A few minutes of prefill on a fast machine.
    schema: positiveInteger().default(4_000_000),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "prompt tokens that may wait for a slot, estimated until they are counted; beyond that the answer is 503",
  },
  queueTimeout: {
    // OpenAI's clients give up after ten minutes.
    schema: integerBetween(0, 86_400).default(600),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "time that a request may wait for a slot, in seconds; then the answer is 503; 0 is any time",
  },
  requestTimeout: {
    schema: integerBetween(0, 86_400).default(0),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "time for an answer, from the arrival of its request to its end, in seconds; 0 is any time",
  },
  writeTimeout: {
    schema: integerBetween(1, 3600).default(30),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "time after which a client that has stopped reading its answer loses it, in seconds",
  },
  drainTimeout: {
    schema: integerBetween(0, 86_400).default(30),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "time for requests in flight to finish after SIGTERM or SIGINT, in seconds",
  },
  resumeStreams: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "streams that have begun go on after a restart of the engine, after a pause; otherwise they end with an error",
  },
} as const satisfies Record<string, Setting>;
