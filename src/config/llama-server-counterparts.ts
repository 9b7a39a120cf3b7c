/**
 * The flags of llama-server, with what does the same here.
 * Source: llama.cpp, tools/server/README.md and common/arg.cpp.
 */
import type { ModelKind } from "../core/model-directory.js";

/** What becomes of a flag of llama-server. */
export type Counterpart =
  /** A flag of ggufd that takes the same values, some of them written otherwise; `undefined`: its default. */
  | {
      readonly kind: "setting";
      readonly flag: string;
      readonly values?: Values;
      readonly isTotal?: boolean;
      /** Before the values that it is for. @default all */
      readonly prefix?: string;
      readonly prefixed?: RegExp;
    }
  /** A flag of ggufd with a value; the flag itself has none. */
  | { readonly kind: "choice"; readonly flag: string; readonly value: string }
  /** It asks for what ggufd does anyway, or leaves to the command line. */
  | { readonly kind: "always" }
  /** What the model is for: a preset can say so, and files say it themselves. */
  | { readonly kind: "model-kind"; readonly modelKind: ModelKind; readonly instead: string }
  /** It has no counterpart. */
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

/** With llama-server, an address that ends so is the path of a Unix socket. */
const LISTENING: Counterpart = {
  kind: "setting",
  flag: "--host",
  prefix: "unix:",
  prefixed: /^(?!unix:)[^,]*\.sock$/,
};

const of = (modelKind: ModelKind): Counterpart => ({
  kind: "model-kind",
  modelKind,
  instead: "ggufd finds out from the model's file",
});
const oneStep = none("a step evaluates --batch-size tokens at most");
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
    "--context-shift": none("a conversation that is too long is refused"),
    "--cache-reuse": none("what prompts have in common at their beginning is always reused"),
  } satisfies Record<string, Counterpart>),
);

/** What a flag is here; `undefined`: it is none of llama-server's, or has the same name and meaning. */
export function counterpartOf(flag: string): Counterpart | undefined {
  return counterparts.get(flag);
}

/** What llama-server's router keeps to itself, whatever a presets file says, and what ggufd does without. */
const OF_THE_ROUTER: readonly string[] = [
  ...["version", "stop-timeout", "dedup-cache-models", "tags", "host", "port", "log-file"],
  ...["ssl-key-file", "ssl-cert-file", "api-key", "api-key-file", "alias", "a"],
  ...["models-dir", "models-max", "models-preset", "models-autoload", "no-models-autoload"],
];

/** The variables of llama-server whose names are not those of their flags. */
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

/** Switches whose flags have values here. */
const SWITCHES: Readonly<Record<string, Counterpart>> = { "cpu-moe": choice("--cpu-moe", "all") };

const VARIABLE = /^LLAMA_(?:ARG_)?[A-Z\d_]+$/;

/** What a key of llama-server's presets file is. */
export type PresetKey =
  | { readonly kind: "ignored" }
  /** @property flag with its dashes */
  | { readonly kind: "flag"; readonly flag: string; readonly counterpart: Counterpart | undefined };

/** A key is a flag without its dashes, in one of its forms, or its variable. */
export function presetKeyOf(key: string): PresetKey {
  const name = VARIABLE.test(key)
    ? (VARIABLES[key] ?? key.replace("LLAMA_ARG_", "").toLowerCase().replaceAll("_", "-"))
    : key;
  if (OF_THE_ROUTER.includes(name)) return { kind: "ignored" };
  const short = counterparts.get(`-${name}`);
  const counterpart = SWITCHES[name] ?? counterparts.get(`--${name}`) ?? short;
  return {
    kind: "flag",
    flag: short === counterpart && short ? `-${name}` : `--${name}`,
    counterpart,
  };
}
