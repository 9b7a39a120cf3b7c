import { findOption, findOptionOfVariable, type NamedOption } from "./options.js";

/** Keys that llama-server's router ignores in a presets file, and that ggufd ignores too. */
const ROUTER_ONLY_KEYS: readonly string[] = [
  ...["version", "stop-timeout", "dedup-cache-models", "tags", "host", "port", "log-file"],
  ...["ssl-key-file", "ssl-cert-file", "api-key", "api-key-file", "alias", "a"],
  ...["models-dir", "models-max", "models-preset", "models-autoload", "no-models-autoload"],
];

/** Meaning of a key in llama-server's presets file. */
export type PresetKey =
  | { readonly kind: "ignored" }
  | { readonly kind: "option"; readonly option: NamedOption }
  /** @property flag flag of ggufd, including its dashes */
  | { readonly kind: "own"; readonly flag: string };

/** Resolves a key: a flag without its dashes, in any of its forms, or its environment variable. */
export function parsePresetKey(key: string): PresetKey {
  const option = findOption(`--${key}`) ?? findOption(`-${key}`) ?? findOptionOfVariable(key);
  if (option === undefined) {
    return ROUTER_ONLY_KEYS.includes(key) ? { kind: "ignored" } : { kind: "own", flag: `--${key}` };
  }
  const names = [...option.option.names, ...option.option.negations];
  return names.some((name) => ROUTER_ONLY_KEYS.includes(name.replace(/^--?/, "")))
    ? { kind: "ignored" }
    : { kind: "option", option };
}
