import { type NamedSampler, SAMPLERS } from "./samplers.js";

/** Type of a parameter's value. `window`: a number of most recent tokens; -1 means all, 0 none. */
type Kind = "number" | "integer" | "window" | "mirostat" | "samplers" | "breakers";

/**
 * Definition of a sampling parameter. All code that reads, shows or applies parameters is derived
 * from these rows.
 */
export interface SamplingRow {
  readonly kind: Kind;
  /** Name in JSON, as in llama.cpp's server. */
  readonly json: string;
  /** Alternative name in requests, which takes precedence. */
  readonly jsonAlias?: string;
  /** Whether the parameter is a flag and a per-model setting, named like the row in kebab case. */
  readonly flag: boolean;
  /** Name among Ollama's `options`; absent: not an option of Ollama. */
  readonly ollama?: string;
  /**
   * Metadata key in a model file, after `general.sampling.`; absent: no file sets the parameter.
   */
  readonly gguf?: string;
  /** Lower bound of a number; absent: none. */
  readonly min?: number;
  readonly max?: number;
  /** Upper bound in OpenAI's API, where that is lower. */
  readonly maxInRequests?: number;
  /** llama.cpp's default, used if neither request, model nor file sets the parameter. */
  readonly default: number | readonly string[];
  /**
   * Description for help texts and schemas: a phrase, followed by the values that disable the
   * parameter.
   */
  readonly help: string;
  /** Arguments of native samplers that the parameter sets. */
  readonly stages?: readonly (readonly [sampler: StageSampler, argument: string])[];
  /** Whether the sampler has no effect with this value and is left out. */
  readonly isOff?: (value: number) => boolean;
}

/** Native samplers whose arguments are taken from parameters unchanged. */
export type StageSampler = Exclude<NamedSampler, "penalties" | "dry"> | "mirostat";

/**
 * All sampling parameters except the seed and the logit biases, which are set per request, keyed by
 * their names in {@link SamplingParameters}. Defaults: `common_params_sampling` in llama.cpp's
 * `common/common.h`.
 */
export const samplingTable = {
  temperature: {
    kind: "number",
    json: "temperature",
    flag: true,
    ollama: "temperature",
    gguf: "temp",
    min: 0,
    maxInRequests: 2,
    default: 0.8,
    help: "sampling temperature; 0 is greedy",
    stages: [["temperature", "temperature"]],
  },
  topK: {
    kind: "integer",
    json: "top_k",
    flag: true,
    ollama: "top_k",
    gguf: "top_k",
    min: -1,
    default: 40,
    help: "keep only the k most likely tokens; 0 and -1 keep all",
    stages: [["top_k", "k"]],
    isOff: (k: number) => k <= 0,
  },
  topP: {
    kind: "number",
    json: "top_p",
    flag: true,
    ollama: "top_p",
    gguf: "top_p",
    min: 0,
    max: 1,
    default: 0.95,
    help: "nucleus sampling: cumulative probability to keep; 1 keeps all",
    stages: [["top_p", "p"]],
    isOff: (p: number) => p >= 1,
  },
  minP: {
    kind: "number",
    json: "min_p",
    flag: true,
    ollama: "min_p",
    gguf: "min_p",
    min: 0,
    max: 1,
    default: 0.05,
    help: "minimum probability, relative to the most likely token; 0 keeps all",
    stages: [["min_p", "p"]],
    isOff: (p: number) => p <= 0,
  },
  typicalP: {
    kind: "number",
    json: "typical_p",
    flag: true,
    ollama: "typical_p",
    min: 0,
    default: 1,
    help: "locally typical sampling: cumulative probability to keep; 1 and above is off",
    stages: [["typ_p", "p"]],
    isOff: (p: number) => p >= 1,
  },
  topNSigma: {
    kind: "number",
    json: "top_n_sigma",
    flag: true,
    default: -1,
    help: "keep logits within N standard deviations of the highest; 0 is off",
    stages: [["top_n_sigma", "n"]],
    isOff: (n: number) => n <= 0,
  },
  repeatPenalty: {
    kind: "number",
    json: "repeat_penalty",
    jsonAlias: "repetition_penalty",
    flag: true,
    ollama: "repeat_penalty",
    gguf: "penalty_repeat",
    min: 0.01,
    max: 10,
    default: 1,
    help: "penalty on tokens that occur in prompt or answer; 1 is off",
  },
  repeatLastN: {
    kind: "window",
    json: "repeat_last_n",
    flag: true,
    ollama: "repeat_last_n",
    gguf: "penalty_last_n",
    default: 64,
    help: "number of last tokens that penalties consider; 0: none, -1: all",
  },
  presencePenalty: {
    kind: "number",
    json: "presence_penalty",
    flag: true,
    ollama: "presence_penalty",
    min: -2,
    max: 2,
    default: 0,
    help: "penalty on tokens that occur in the answer",
  },
  frequencyPenalty: {
    kind: "number",
    json: "frequency_penalty",
    flag: true,
    ollama: "frequency_penalty",
    min: -2,
    max: 2,
    default: 0,
    help: "penalty per occurrence of a token in the answer",
  },
  dryMultiplier: {
    kind: "number",
    json: "dry_multiplier",
    flag: true,
    min: 0,
    default: 0,
    help: "DRY: strength of the penalty on repetitions; 0 is off",
  },
  dryBase: {
    kind: "number",
    json: "dry_base",
    flag: true,
    min: 0,
    default: 1.75,
    help: "DRY: base that is raised to the length of the repetition",
  },
  dryAllowedLength: {
    kind: "integer",
    json: "dry_allowed_length",
    flag: true,
    min: 0,
    default: 2,
    help: "DRY: longest repetition left unpenalised, in tokens",
  },
  dryPenaltyLastN: {
    kind: "window",
    json: "dry_penalty_last_n",
    flag: true,
    default: 64,
    help: "DRY: number of last tokens to search; 0: none, -1: all",
  },
  drySequenceBreakers: {
    kind: "breakers",
    json: "dry_sequence_breakers",
    flag: false,
    default: ["\n", ":", '"', "*"],
    help: "DRY: texts that end a repetition",
  },
  xtcProbability: {
    kind: "number",
    json: "xtc_probability",
    flag: true,
    gguf: "xtc_probability",
    min: 0,
    max: 1,
    default: 0,
    help: "XTC: probability of removing the top tokens; 0 is off",
    stages: [["xtc", "probability"]],
    isOff: (probability: number) => probability <= 0,
  },
  xtcThreshold: {
    kind: "number",
    json: "xtc_threshold",
    flag: true,
    gguf: "xtc_threshold",
    min: 0,
    max: 1,
    default: 0.1,
    help: "XTC: minimum probability of tokens to remove; above 0.5 is off",
    stages: [["xtc", "threshold"]],
    // At most one token can have a probability above 0.5, and XTC needs two.
    isOff: (threshold: number) => threshold > 0.5,
  },
  dynatempRange: {
    kind: "number",
    json: "dynatemp_range",
    flag: true,
    default: 0,
    help: "dynamic temperature: range, scaled by the distribution's entropy; 0 is off",
    stages: [["temperature", "range"]],
  },
  dynatempExp: {
    kind: "number",
    json: "dynatemp_exponent",
    flag: true,
    min: 0,
    default: 1,
    help: "dynamic temperature: exponent of the entropy",
    stages: [["temperature", "exponent"]],
  },
  mirostat: {
    kind: "mirostat",
    json: "mirostat",
    flag: true,
    ollama: "mirostat",
    gguf: "mirostat",
    default: 0,
    help: "Mirostat version, 1 or 2; replaces all samplers except temperature; 0: off",
  },
  mirostatEnt: {
    kind: "number",
    json: "mirostat_tau",
    flag: true,
    ollama: "mirostat_tau",
    gguf: "mirostat_tau",
    min: 0,
    default: 5,
    help: "Mirostat: target entropy, in bits (tau)",
    stages: [["mirostat", "tau"]],
  },
  mirostatLr: {
    kind: "number",
    json: "mirostat_eta",
    flag: true,
    ollama: "mirostat_eta",
    gguf: "mirostat_eta",
    min: 0,
    default: 0.1,
    help: "Mirostat: learning rate (eta)",
    stages: [["mirostat", "eta"]],
  },
  adaptiveTarget: {
    kind: "number",
    json: "adaptive_target",
    flag: true,
    max: 1,
    default: -1,
    help: "adaptive-p: target probability, if among the samplers; below 0 is off",
    stages: [["adaptive_p", "target"]],
  },
  adaptiveDecay: {
    kind: "number",
    json: "adaptive_decay",
    flag: true,
    min: 0,
    max: 0.99,
    default: 0.9,
    help: "adaptive-p: decay rate of the target",
    stages: [["adaptive_p", "decay"]],
  },
  minKeep: {
    kind: "integer",
    json: "min_keep",
    flag: false,
    min: 0,
    default: 0,
    help: "minimum number of tokens that top-p, min-p, typical-p and XTC keep",
    stages: [
      ["typ_p", "minKeep"],
      ["top_p", "minKeep"],
      ["min_p", "minKeep"],
      ["xtc", "minKeep"],
    ],
  },
  samplers: {
    kind: "samplers",
    json: "samplers",
    flag: true,
    gguf: "sequence",
    default: SAMPLERS,
    help: "samplers to use, in this order",
  },
} as const satisfies Record<string, SamplingRow>;

export type SamplingTable = typeof samplingTable;

/** Name of a sampling parameter. */
export type SamplingName = keyof SamplingTable;

/** Types of the values of each kind. */
export interface SamplingValueKinds {
  readonly number: number;
  readonly integer: number;
  readonly window: number;
  readonly mirostat: 0 | 1 | 2;
  readonly samplers: readonly NamedSampler[];
  readonly breakers: readonly string[];
}

/** Type of a parameter's value. */
export type SamplingValue<Name extends SamplingName> =
  SamplingValueKinds[SamplingTable[Name]["kind"]];

/**
 * Sampling parameters of a model, or of a request without its seed; absent parameters have defaults
 * elsewhere.
 */
export type SamplingDefaults = {
  readonly [Name in SamplingName]?: SamplingValue<Name> | undefined;
};

/** Sampling parameters with a value for each of them. */
export type ResolvedSampling = { readonly [Name in SamplingName]: SamplingValue<Name> };

/** Names of the parameters whose rows match a column type. */
type NamesWith<Column> = {
  [Name in SamplingName]: SamplingTable[Name] extends Column ? Name : never;
}[SamplingName];

export type SamplingFlag = NamesWith<{ readonly flag: true }>;

/** All rows with their names, in display order. */
export const samplingRows: readonly (SamplingRow & { readonly name: SamplingName })[] = (
  Object.keys(samplingTable) as SamplingName[]
).map((name) => ({ name, ...samplingTable[name] }));

/** Default values of all parameters. */
export const samplingDefaults = Object.fromEntries(
  samplingRows.map((row) => [row.name, row.default]),
) as ResolvedSampling;

/** Returns the given values keyed by the names in a column, without absent values. */
export function selectSamplingBy(
  column: "json" | "ollama",
  sampling: SamplingDefaults,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    samplingRows.flatMap((row) => {
      const [name, value] = [row[column], sampling[row.name]];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Returns the value of a parameter in a request body, by any of its JSON names. */
export function readJsonValue({ json, jsonAlias }: SamplingRow, body: object): unknown {
  const values = body as Readonly<Record<string, unknown>>;
  return (jsonAlias === undefined ? undefined : values[jsonAlias]) ?? values[json];
}

/** Fills in defaults for absent parameters. */
export function withDefaults<Given extends SamplingDefaults>(
  given: Given,
  defaults: SamplingDefaults,
): Given & SamplingDefaults {
  return { ...defaults, ...withoutAbsent(given) };
}

/** Removes fields whose value is `undefined`. */
export function withoutAbsent<Fields extends object>(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Fields;
}
