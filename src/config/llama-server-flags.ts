/**
 * The flags of llama-server, for those who come from there: what they mean there is said in ggufd's words, or the flag
 * that does it is named.
 * Source: llama.cpp, tools/server/README.md.
 */
import { StartupError } from "../core/startup-error.js";

/** What becomes of a flag of llama-server. */
type Counterpart =
  /** A flag of ggufd that takes the same values, some of them written otherwise; `undefined`: its default. */
  | {
      readonly kind: "setting";
      readonly flag: string;
      readonly values?: Values;
      readonly isTotal?: boolean;
    }
  /** A flag of ggufd with a value; the flag itself has none. */
  | { readonly kind: "choice"; readonly flag: string; readonly value: string }
  /** It asks for what ggufd does anyway. */
  | { readonly kind: "always" }
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

const inRequests = none("it is a field of requests");
const oneCacheType = none("keys and values have one type: --kv-cache-type");
const byItself = none("ggufd finds out from the model's file");
const downloads = none("ggufd pull NAME downloads a model, and --model takes its path");

const counterparts: ReadonlyMap<string, Counterpart> = new Map(
  Object.entries({
    "-m": setting("--model"),
    "-a": setting("--alias"),
    "-c": CONTEXT,
    "--ctx-size": CONTEXT,
    "-np": SLOTS,
    "-ngl": LAYERS,
    "--n-gpu-layers": LAYERS,
    "-t": setting("--threads", THREADS),
    "-tb": setting("--threads-batch", THREADS),
    "-b": setting("--batch-size"),
    "-s": setting("--seed", { "-1": undefined }),
    "-md": setting("--draft"),
    "--model-draft": setting("--draft"),
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
    "-ub": none("a step evaluates --batch-size tokens at most"),
    "--ubatch-size": none("a step evaluates --batch-size tokens at most"),
    "-fa": none("flash attention is chosen by the model and the device"),
    "--flash-attn": none("flash attention is chosen by the model and the device"),
    "-ctk": oneCacheType,
    "--cache-type-k": oneCacheType,
    "-ctv": oneCacheType,
    "--cache-type-v": oneCacheType,
    "-hf": downloads,
    "-hfr": downloads,
    "--hf-repo": downloads,
    "-mu": downloads,
    "--model-url": downloads,
    "--embedding": byItself,
    "--embeddings": byItself,
    "--rerank": byItself,
    "--reranking": byItself,
    "--pooling": none("--embedding-pooling says how vectors are made"),
    "--chat-template": none("the template of the model's file is used"),
    "--chat-template-file": none("the template of the model's file is used"),
    "-n": inRequests,
    "--predict": inRequests,
    "--n-predict": inRequests,
    "--temp": inRequests,
    "--top-k": inRequests,
    "--top-p": inRequests,
    "--min-p": inRequests,
    "-to": none("--request-timeout and --write-timeout limit answers"),
    "--timeout": none("--request-timeout and --write-timeout limit answers"),
    "--context-shift": none("a conversation that is too long is refused"),
    "--cache-reuse": none("what prompts have in common at their beginning is always reused"),
  } satisfies Record<string, Counterpart>),
);

/** A flag of llama-server as it was given, as ggufd's own flag. */
interface Translated {
  readonly flag: string;
  readonly value: string | undefined;
  /** It is the context of all slots. */
  readonly isTotal?: boolean;
}

/**
 * Arguments with flags of llama-server, as ggufd's own. As there, a context is divided among the slots whose number is
 * given.
 * @param args without the program; what follows `--` stays as it is
 * @throws {StartupError} naming a flag that has no counterpart, and what does it here
 */
export function fromLlamaServer(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  const given = end < 0 ? args : args.slice(0, end);
  const others = end < 0 ? [] : args.slice(end);
  const translated = withoutTotalContext(translate(given));
  return [...translated.flatMap(({ flag, value }) => [flag, ...listOf(value)]), ...others];
}

function translate(given: readonly string[]): readonly Translated[] {
  const translated: Translated[] = [];
  for (let index = 0; index < given.length; index++) {
    const argument = given[index] ?? "";
    const [flag = "", inline] = argument.split(/=(.*)/s);
    const counterpart = counterparts.get(flag);
    if (counterpart === undefined) {
      translated.push({ flag: argument, value: undefined });
      continue;
    }
    const value = counterpart.kind === "setting" ? (inline ?? given[++index]) : undefined;
    translated.push(...listOf(toOwnFlag(flag, value, counterpart)));
  }
  return translated;
}

/** With the context of one slot for that of all. */
function withoutTotalContext(translated: readonly Translated[]): readonly Translated[] {
  const total = translated.find(({ value, isTotal }) => isTotal && value !== undefined);
  const others = translated.filter((one) => one !== total);
  return total === undefined ? others : [...others, { ...total, value: shareOf(total, others) }];
}

const listOf = <Item>(item: Item | undefined): readonly Item[] =>
  item === undefined ? [] : [item];

function toOwnFlag(
  flag: string,
  value: string | undefined,
  counterpart: Counterpart,
): Translated | undefined {
  switch (counterpart.kind) {
    case "always":
      return undefined;
    case "none":
      throw new StartupError(`${flag}: a flag of llama-server; here, ${counterpart.instead}`);
    case "choice":
      return { flag: counterpart.flag, value: counterpart.value };
    case "setting": {
      const { flag: ours, values = {}, isTotal = false } = counterpart;
      if (value === undefined || !Object.hasOwn(values, value)) {
        return { flag: ours, value, isTotal };
      }
      const written = values[value];
      return written === undefined ? undefined : { flag: ours, value: written, isTotal };
    }
  }
}

function shareOf({ value }: Translated, others: readonly Translated[]): string | undefined {
  const slots = Number(slotsOf(others));
  const isDivided = Number(value) > 0 && slots > 0;
  return isDivided ? String(Math.floor(Number(value) / slots)) : value;
}

/** What `--parallel` is given: as its value, after `=`, or as the argument that follows it. */
function slotsOf(translated: readonly Translated[]): string | undefined {
  const index = translated.findIndex(({ flag }) => /^--parallel(=|$)/.test(flag));
  const { flag = "", value } = translated[index] ?? {};
  return value ?? flag.split("=")[1] ?? translated[index + 1]?.flag;
}
