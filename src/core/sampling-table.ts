import { type NamedSampler, SAMPLERS } from "./samplers.js";

/** What a value may be. `window`: a number of last tokens; -1 is all, 0 none. */
type Kind = "number" | "integer" | "window" | "mirostat" | "samplers" | "breakers";

/** A sampling parameter. Everything that reads, shows or applies one is derived from its row. */
export interface SamplingRow {
  readonly kind: Kind;
  /** In JSON, as llama.cpp's server has it. */
  readonly json: string;
  /** Another name in requests, which takes precedence. */
  readonly alsoJson?: string;
  /** Whether it is a flag and a setting of models, by the row's name in kebab case. */
  readonly flag: boolean;
  /** Among Ollama's `options`; absent: it is none there. */
  readonly ollama?: string;
  /** Behind `general.sampling.` in a model file; absent: no file recommends it. */
  readonly gguf?: string;
  /** Bounds of a number; absent: none. */
  readonly min?: number;
  readonly max?: number;
  /** The bound of OpenAI's API, where that is lower. */
  readonly maxInRequests?: number;
  /** What neither request nor model nor file says: llama.cpp's default. */
  readonly default: number | readonly string[];
  /** What it does, for help texts and schemas: a phrase, then the values that turn it off. */
  readonly help: string;
  /** The arguments of native samplers that it becomes. */
  readonly stages?: readonly (readonly [sampler: StageSampler, argument: string])[];
  /** Whether a sampler with this value changes nothing, and is left out. */
  readonly isOff?: (value: number) => boolean;
}

/** Native samplers whose arguments are parameters as they stand. */
export type StageSampler = Exclude<NamedSampler, "penalties" | "dry"> | "mirostat";

/**
 * All sampling parameters but the seed and the biases, which belong to single requests, by their names in
 * {@link SamplingParameters}. Defaults: `common_params_sampling` in llama.cpp's `common/common.h`.
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
    alsoJson: "repetition_penalty",
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
    // Two tokens cannot both be more likely.
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

/** The name of a sampling parameter. */
export type SamplingName = keyof SamplingTable;

/** What the values of each kind are. */
export interface SamplingValueKinds {
  readonly number: number;
  readonly integer: number;
  readonly window: number;
  readonly mirostat: 0 | 1 | 2;
  readonly samplers: readonly NamedSampler[];
  readonly breakers: readonly string[];
}

/** What a parameter may be. */
export type SamplingValue<Name extends SamplingName> =
  SamplingValueKinds[SamplingTable[Name]["kind"]];

/** Sampling parameters of a model, or of a request without its seed; what is absent is as others say. */
export type SamplingDefaults = {
  readonly [Name in SamplingName]?: SamplingValue<Name> | undefined;
};

/** All of them. */
export type ResolvedSampling = { readonly [Name in SamplingName]: SamplingValue<Name> };

/** Names of parameters whose rows have such a column. */
type NamesWith<Column> = {
  [Name in SamplingName]: SamplingTable[Name] extends Column ? Name : never;
}[SamplingName];

export type SamplingFlag = NamesWith<{ readonly flag: true }>;

/** All rows, with their names, in the order in which they are shown. */
export const samplingRows: readonly (SamplingRow & { readonly name: SamplingName })[] = (
  Object.keys(samplingTable) as SamplingName[]
).map((name) => ({ name, ...samplingTable[name] }));

/** What holds where nobody says anything. */
export const samplingDefaults = Object.fromEntries(
  samplingRows.map((row) => [row.name, row.default]),
) as ResolvedSampling;

/** Values by the names of one of the columns, without those that are absent. */
export function samplingBy(
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

/** The value of a parameter in a body of a request, by any of its names in JSON. */
export function jsonValue({ json, alsoJson }: SamplingRow, body: object): unknown {
  const values = body as Readonly<Record<string, unknown>>;
  return (alsoJson === undefined ? undefined : values[alsoJson]) ?? values[json];
}

/** The first ones, with what the others say where they are silent. */
export function withDefaults<Given extends SamplingDefaults>(
  given: Given,
  defaults: SamplingDefaults,
): Given & SamplingDefaults {
  return { ...defaults, ...withoutAbsent(given) };
}

/** Fields that have values. */
export function withoutAbsent<Fields extends object>(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Fields;
}
