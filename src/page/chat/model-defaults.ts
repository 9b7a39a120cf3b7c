import type { SamplingField } from "./chat-settings.js";

/** Defaults of a model, formatted as placeholders. */
export type ModelDefaults = Readonly<Partial<Record<SamplingField, string>>>;

/** The part of `GET /props` with the defaults; absent while the model is not loaded. */
export interface Props {
  readonly default_generation_settings?: {
    readonly params?: Readonly<Record<string, unknown>>;
  };
}

/** Seed and limit that stand for none. */
const RANDOM_SEED = 2 ** 32 - 1;
const NO_LIMIT = -1;
/** Digits after the point of a shown number. */
const DIGITS = 4;

/** Names of the parameters in `GET /props`. */
const PROPS_NAMES = {
  temperature: "temperature",
  top_p: "top_p",
  top_k: "top_k",
  min_p: "min_p",
  repeat_penalty: "repeat_penalty",
  seed: "seed",
  max_output_tokens: "max_tokens",
} as const satisfies Record<SamplingField, string>;

/** Formats the defaults in a response of `GET /props`. */
export function toModelDefaults({ default_generation_settings: settings }: Props): ModelDefaults {
  const params = settings?.params ?? {};
  return Object.fromEntries(
    Object.entries(PROPS_NAMES).flatMap(([field, name]) => {
      const value = params[name];
      return typeof value === "number" ? [[field, formatDefault(name, value)]] : [];
    }),
  );
}

function formatDefault(name: string, value: number): string {
  if (name === "seed" && value === RANDOM_SEED) return "random";
  if (name === "max_tokens" && value === NO_LIMIT) return "no limit";
  return `${Number(value.toFixed(DIGITS))}`;
}
