/**
 * llama-server's flags and their equivalents in ggufd. Source: llama.cpp, tools/server/README.md
 * and common/arg.cpp.
 */
import type { ModelKind } from "../core/model-directory.js";

/** ggufd's equivalent of a llama-server flag. */
export type Counterpart =
  /**
   * ggufd flag that takes the same values. `values` maps those written differently; `undefined`
   * stands for the default.
   */
  | {
      readonly kind: "setting";
      readonly flag: string;
      readonly values?: Values;
      readonly isTotal?: boolean;
      /**
       * Prefix of the values that match `prefixed`.
       * @default all values
       */
      readonly prefix?: string;
      readonly prefixed?: RegExp;
    }
  /** ggufd flag with a value, for a llama-server flag without one. */
  | { readonly kind: "choice"; readonly flag: string; readonly value: string }
  /** Default behaviour of ggufd, or an option left to the command line; ignored. */
  | { readonly kind: "always" }
  /** Purpose of the model, which a preset can set and which files state themselves. */
  | { readonly kind: "model-kind"; readonly modelKind: ModelKind; readonly instead: string }
  /** No equivalent. */
  | { readonly kind: "none"; readonly instead: string };

type Values = Readonly<Record<string, string | undefined>>;

const setting = (flag: string, values?: Values): Counterpart => ({
  kind: "setting",
  flag,
  ...(values && { values }),
});
const choice = (flag: string, value: string): Counterpart => ({ kind: "choice", flag, value });
const always: Counterpart = { kind: "always" };
const none = (instead: string): Counterpart => ({ kind: "none", instead });

const CONTEXT: Counterpart = {
  kind: "setting",
  flag: "--context-size",
  values: { "0": undefined },
  isTotal: true,
};
const SLOTS = setting("--parallel", { "-1": undefined });
const THREADS: Values = { "-1": "auto" };
const LAYERS = setting("--gpu-layers", { "-1": "auto", all: "9999" });
const SEED = setting("--seed", { "-1": undefined });
const ANSWER = setting("--max-tokens", { "-1": undefined });
const ADAPTERS = setting("--lora");
const REPOSITORY: Counterpart = { kind: "setting", flag: "--model", prefix: "hf:" };

/** llama-server takes an address with this ending as the path of a Unix socket. */
const LISTENING: Counterpart = {
  kind: "setting",
  flag: "--host",
  prefix: "unix:",
  prefixed: /^(?!unix:)[^,]*\.sock$/,
};

const of = (modelKind: ModelKind): Counterpart => ({
  kind: "model-kind",
  modelKind,
  instead: "ggufd reads it from the model's file",
});
const oneStep = none("a step evaluates at most --batch-size tokens");
const flashAttention = none("flash attention is chosen by the model and the device");
const limits = none("--request-timeout and --write-timeout limit answers");
const ofRequests = none("it is a field of requests");

const counterparts: ReadonlyMap<string, Counterpart> = new Map(
  Object.entries({
    "-m": setting("--model"),
    "-a": setting("--alias"),
    "-hf": REPOSITORY,
    "-hfr": REPOSITORY,
    "--hf-repo": REPOSITORY,
    "-mu": setting("--model"),
    "--model-url": setting("--model"),
    "-hff": none("--model hf:USER/REPOSITORY/FILE names a file"),
    "--hf-file": none("--model hf:USER/REPOSITORY/FILE names a file"),
    "-c": CONTEXT,
    "--ctx-size": CONTEXT,
    "-np": SLOTS,
    "--parallel": SLOTS,
    "-ngl": LAYERS,
    "--gpu-layers": LAYERS,
    "--n-gpu-layers": LAYERS,
    "-t": setting("--threads", THREADS),
    "--threads": setting("--threads", THREADS),
    "-tb": setting("--threads-batch", THREADS),
    "--threads-batch": setting("--threads-batch", THREADS),
    "-b": setting("--batch-size"),
    "-cram": setting("--cache-ram"),
    "-ctk": setting("--cache-type-k"),
    "-ctv": setting("--cache-type-v"),
    "-s": SEED,
    "--seed": SEED,
    "-n": ANSWER,
    "--predict": ANSWER,
    "--n-predict": ANSWER,
    "--temp": setting("--temperature"),
    "--top-nsigma": setting("--top-n-sigma"),
    "--typical": setting("--typical-p"),
    "--sampler-seq": setting("--samplers"),
    "--sampling-seq": setting("--samplers"),
    "--dry-sequence-breaker": ofRequests,
    "-l": ofRequests,
    "--logit-bias": ofRequests,
    "--ignore-eos": ofRequests,
    "--lora-scaled": ADAPTERS,
    "-mm": setting("--mmproj"),
    "--host": LISTENING,
    "--ssl-cert-file": setting("--tls-cert"),
    "--ssl-key-file": setting("--tls-key"),
    "--sleep-idle-seconds": setting("--model-ttl"),
    "-md": setting("--draft"),
    "--model-draft": setting("--draft"),
    "--spec-draft-model": setting("--draft"),
    "-dev": setting("--device"),
    "-mg": setting("--main-gpu"),
    "-sm": setting("--split-mode"),
    "-ts": setting("--tensor-split"),
    "-ot": setting("--override-tensor"),
    "-ncmoe": setting("--cpu-moe"),
    "--n-cpu-moe": setting("--cpu-moe"),
    "-cmoe": choice("--cpu-moe", "all"),
    "-kvu": choice("--kv-cache-layout", "unified"),
    "--kv-unified": choice("--kv-cache-layout", "unified"),
    "-no-kvu": choice("--kv-cache-layout", "split"),
    "--no-kv-unified": choice("--kv-cache-layout", "split"),
    "-bs": choice("--device-sampling", "on"),
    "--backend-sampling": choice("--device-sampling", "on"),
    "-v": choice("--log-level", "debug"),
    "--verbose": choice("--log-level", "debug"),
    "-cb": always,
    "--cont-batching": always,
    "--jinja": always,
    "--metrics": always,
    "--props": always,
    "--no-webui": always,
    "--no-context-shift": always,
    "-ub": oneStep,
    "--ubatch-size": oneStep,
    "-fa": flashAttention,
    "--flash-attn": flashAttention,
    "--embedding": of("embedding"),
    "--embeddings": of("embedding"),
    "--rerank": of("reranking"),
    "--reranking": of("reranking"),
    "--pooling": setting("--embedding-pooling"),
    "-to": limits,
    "--timeout": limits,
    "--context-shift": none("conversations that exceed the context are rejected"),
    "--cache-reuse": none("common prefixes of prompts are always reused"),
  } satisfies Record<string, Counterpart>),
);

/**
 * Returns the equivalent of a llama-server flag; `undefined` for a flag that is not llama-server's,
 * or that has the same name and meaning in both programs.
 */
export function counterpartOf(flag: string): Counterpart | undefined {
  return counterparts.get(flag);
}

/** Keys that llama-server's router ignores in a presets file, and that ggufd ignores too. */
const ROUTER_ONLY_KEYS: readonly string[] = [
  ...["version", "stop-timeout", "dedup-cache-models", "tags", "host", "port", "log-file"],
  ...["ssl-key-file", "ssl-cert-file", "api-key", "api-key-file", "alias", "a"],
  ...["models-dir", "models-max", "models-preset", "models-autoload", "no-models-autoload"],
];

/** llama-server's environment variables whose names differ from their flags. */
const VARIABLES: Readonly<Record<string, string>> = {
  LLAMA_API_KEY: "api-key",
  LLAMA_ARG_BATCH: "batch-size",
  LLAMA_ARG_UBATCH: "ubatch-size",
  LLAMA_ARG_ENDPOINT_METRICS: "metrics",
  LLAMA_ARG_ENDPOINT_PROPS: "props",
  LLAMA_ARG_ENDPOINT_SLOTS: "slots",
  LLAMA_ARG_N_PARALLEL: "parallel",
  LLAMA_ARG_ROPE_SCALING_TYPE: "rope-scaling",
};

/** llama-server switches whose ggufd flags take values. */
const SWITCHES: Readonly<Record<string, Counterpart>> = { "cpu-moe": choice("--cpu-moe", "all") };

const VARIABLE = /^LLAMA_(?:ARG_)?[A-Z\d_]+$/;

/** Meaning of a key in llama-server's presets file. */
export type PresetKey =
  | { readonly kind: "ignored" }
  /** @property flag including its dashes */
  | { readonly kind: "flag"; readonly flag: string; readonly counterpart: Counterpart | undefined };

/** Resolves a key: a flag without its dashes, in any of its forms, or its environment variable. */
export function parsePresetKey(key: string): PresetKey {
  const name = VARIABLE.test(key)
    ? (VARIABLES[key] ?? key.replace("LLAMA_ARG_", "").toLowerCase().replaceAll("_", "-"))
    : key;
  if (ROUTER_ONLY_KEYS.includes(name)) return { kind: "ignored" };
  const short = counterparts.get(`-${name}`);
  const counterpart = SWITCHES[name] ?? counterparts.get(`--${name}`) ?? short;
  return {
    kind: "flag",
    flag: short === counterpart && short ? `-${name}` : `--${name}`,
    counterpart,
  };
}
