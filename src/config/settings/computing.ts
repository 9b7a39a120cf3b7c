import { integerBetween, nonEmptyText, oneOf } from "../../validation/fields.js";
import { layerCount, proportions, separated, tensorOverride } from "../placement-fields.js";
import { everyModel, orAuto, positiveInteger, type Setting } from "./setting.js";

/** Where models are computed, and how. */
export const computingSettings = {
  gpu: {
    schema: oneOf(["auto", "cuda", "vulkan", "metal", "off"]).default("auto"),
    factOf: everyModel,
    form: "text",
    placeholder: "auto|cuda|vulkan|metal|off",
    help: "compute backend; auto uses the best one with a GPU that the model fits on, off the CPU, any other must be available",
  },
  gpuLayers: {
    schema: orAuto(integerBetween(0, Number.MAX_SAFE_INTEGER), 0).default("auto"),
    factOf: everyModel,
    form: "integer",
    placeholder: "N|auto",
    help: "model layers to offload to the GPU",
  },
  device: {
    schema: separated(nonEmptyText()).optional(),
    factOf: everyModel,
    form: "list",
    placeholder: "NAME",
    help: "device that layers go to, as llama.cpp names it, e.g. CUDA0; repeatable (default: all GPUs)",
  },
  mainGpu: {
    schema: integerBetween(0, 255).optional(),
    factOf: everyModel,
    form: "integer",
    placeholder: "INDEX",
    help: "GPU that takes the model with --split-mode none, and what is not split with row (default: 0)",
  },
  splitMode: {
    schema: oneOf(["none", "layer", "row", "tensor"]).optional(),
    factOf: everyModel,
    form: "text",
    placeholder: "none|layer|row|tensor",
    help: "how the model is divided among several GPUs (default: layer)",
  },
  tensorSplit: {
    schema: proportions().optional(),
    factOf: everyModel,
    form: "text",
    placeholder: "N,N,…",
    help: "proportions of the model for the GPUs, e.g. 3,1 (default: by their free memory)",
  },
  overrideTensor: {
    schema: separated(tensorOverride()).optional(),
    factOf: everyModel,
    form: "list",
    placeholder: "PATTERN=TYPE",
    help: "buffer type of the tensors whose names match a regular expression, e.g. exps=CPU; repeatable",
  },
  cpuMoe: {
    schema: layerCount().optional(),
    factOf: everyModel,
    form: "integer",
    placeholder: "N|all",
    help: "layers whose experts stay in main memory, from the first on (default: 0)",
  },
  threads: {
    schema: orAuto(positiveInteger(), 1).default("auto"),
    factOf: everyModel,
    form: "integer",
    placeholder: "N|auto",
    help: "CPU threads for decoding; auto benchmarks thread counts on the first start",
  },
  threadsBatch: {
    schema: orAuto(positiveInteger(), 1).default("auto"),
    factOf: everyModel,
    form: "integer",
    placeholder: "N|auto",
    help: "CPU threads for prompts; auto is as many as --threads, or benchmarked like them",
  },
  batchSize: {
    schema: integerBetween(1, 65_536).default(512),
    factOf: ["generation"],
    form: "integer",
    placeholder: "N",
    help: "maximum number of tokens evaluated per step",
  },
  itlTargetMs: {
    schema: integerBetween(1, 60_000).default(150),
    factOf: ["generation"],
    form: "integer",
    placeholder: "MS",
    help: "target inter-token latency while prompts are evaluated, in milliseconds; up to five times that in bursts",
  },
  speculation: {
    schema: oneOf(["auto", "off"]).default("auto"),
    factOf: ["generation"],
    form: "text",
    placeholder: "auto|off",
    help: "speculative decoding: draft tokens and verify them in one pass where that is faster",
  },
  draftModel: {
    schema: nonEmptyText().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "PATH",
    help: "small GGUF draft model with the same vocabulary, for speculative decoding (default: none)",
  },
  engine: {
    schema: oneOf(["process", "inline"]).default("process"),
    factOf: "server",
    form: "text",
    placeholder: "process|inline",
    help: "where the model runs: in a separate process, or inline in the server for debugging",
  },
  engineWatchdog: {
    schema: integerBetween(0, 86_400).default(60),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "time without a step or answer after which a model's process that has work is killed and restarted, in seconds; 0 waits for ever",
  },
} as const satisfies Record<string, Setting>;
