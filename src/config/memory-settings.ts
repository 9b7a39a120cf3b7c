import { integerBetween, nonEmptyText, oneOf } from "../validation/fields.js";
import type { Setting } from "./setting.js";
import { anyPath, memoryBudget } from "./setting-fields.js";

const cacheType = () => oneOf(["f16", "f32", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0"]);

/** Settings of slots, contexts, caches and memory. */
export const memorySettings = {
  memoryBudget: {
    schema: memoryBudget().optional(),
    factOf: "server",
    form: "text",
    placeholder: "GIB[,GIB]",
    help: "memory for all models, and GPU memory after a comma (default: most of the free memory)",
  },
  parallel: {
    schema: integerBetween(1, 256).optional(),
    factOf: ["generation"],
    at: "slots",
    form: "integer",
    placeholder: "N",
    help: "slots: requests that generate concurrently (default: 4, up to 16 if memory allows)",
  },
  contextSize: {
    schema: integerBetween(16, Number.MAX_SAFE_INTEGER).optional(),
    factOf: ["generation"],
    form: "integer",
    placeholder: "N",
    help: "context size per slot, in tokens (default: the model's, at most 32768, if memory allows)",
  },
  maxInputTokens: {
    schema: integerBetween(1, 1_048_576).optional(),
    factOf: ["embedding", "reranking"],
    form: "integer",
    placeholder: "N",
    help: "longest input of embedding and reranking models, in tokens (default: the model's, at most 8192, if memory allows)",
  },
  kvCacheType: {
    schema: cacheType().default("f16"),
    factOf: ["generation"],
    form: "text",
    placeholder: "TYPE",
    help: "data type of the KV cache",
    details: "`f16`, `f32`, `bf16`, `q8_0`, `q5_1`, `q5_0`, `q4_1` or `q4_0`.",
  },
  cacheTypeK: {
    schema: cacheType().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "TYPE",
    help: "data type of the keys in the KV cache (default: that of --kv-cache-type)",
  },
  cacheTypeV: {
    schema: cacheType().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "TYPE",
    help: "data type of the values in the KV cache (default: that of --kv-cache-type)",
  },
  kvCacheLayout: {
    schema: oneOf(["auto", "split", "unified"]).default("auto"),
    factOf: ["generation"],
    form: "text",
    placeholder: "auto|split|unified",
    help: "split the KV cache equally among slots, or share it (unified)",
  },
  cacheRam: {
    schema: integerBetween(0, 1_048_576).default(1024),
    factOf: ["generation"],
    at: "cacheRamMiB",
    form: "integer",
    placeholder: "MIB",
    help: "RAM budget for evicted KV state, in MiB; 0 disables it",
  },
  cacheDir: {
    schema: nonEmptyText().optional(),
    factOf: ["generation"],
    withPath: anyPath,
    form: "text",
    placeholder: "PATH",
    help: "directory for evicted KV state beyond --cache-ram; survives restarts (default: none)",
  },
  cacheDisk: {
    schema: integerBetween(1, 1_073_741_824).default(8192),
    factOf: ["generation"],
    at: "cacheDiskMiB",
    form: "integer",
    placeholder: "MIB",
    help: "disk budget of --cache-dir, in MiB",
  },
  slotSavePath: {
    schema: nonEmptyText().optional(),
    factOf: ["generation"],
    ofOneModel: true,
    withPath: anyPath,
    form: "text",
    placeholder: "PATH",
    help: "directory for states that POST /slots/{id} saves and restores (default: none)",
  },
} as const satisfies Record<string, Setting>;
