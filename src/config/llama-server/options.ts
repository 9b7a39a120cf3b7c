/**
 * Options of llama-server and their effects in ggufd. Source: llama.cpp, common/arg.cpp;
 * `test/config/llama-server/options.process.test.ts` compares names, variables and values with it.
 */
import { computingOptions } from "./computing-options.js";
import { draftOptions } from "./draft-options.js";
import { modelOptions } from "./model-options.js";
import {
  accepted,
  choice,
  flag,
  type LlamaServerOption,
  type PlainEffect,
  type SettingEffect,
  toggle,
} from "./option.js";
import { samplingOptions } from "./sampling-options.js";
import { serverOptions } from "./server-options.js";

/** Options that llama.cpp has removed, which commands still have. */
const formerOptions: readonly LlamaServerOption[] = [
  toggle(
    "--mmap",
    "--no-mmap",
    { on: choice("--load-mode", "mmap"), off: choice("--load-mode", "none") },
    "LLAMA_ARG_MMAP",
  ),
  flag("--mlock", choice("--mlock"), "LLAMA_ARG_MLOCK"),
  toggle(
    "-dio --direct-io",
    "-ndio --no-direct-io",
    { on: choice("--load-mode", "dio"), off: accepted("it is the default") },
    "LLAMA_ARG_DIO",
  ),
];

/** Options by topic, as shown in docs/llama-server.md. */
export const optionGroups = {
  Models: modelOptions,
  "Computing and memory": computingOptions,
  "Sampling, templates and reasoning": samplingOptions,
  "Speculative decoding": draftOptions,
  Server: serverOptions,
  "Earlier versions of llama-server": formerOptions,
} as const satisfies Record<string, readonly LlamaServerOption[]>;

export const llamaServerOptions: readonly LlamaServerOption[] = Object.values(optionGroups).flat();

/** Option as named by a flag or variable; a negated switch is off. */
export interface NamedOption {
  readonly option: LlamaServerOption;
  readonly isOn: boolean;
}

type Entry = readonly [name: string, named: NamedOption];

const optionsByName: ReadonlyMap<string, NamedOption> = new Map(
  llamaServerOptions.flatMap((option): readonly Entry[] => [
    ...option.names.map((name): Entry => [name, { option, isOn: true }]),
    ...option.negations.map((name): Entry => [name, { option, isOn: false }]),
  ]),
);

const optionsByVariable: ReadonlyMap<string, NamedOption> = new Map(
  llamaServerOptions.flatMap((option): readonly Entry[] => {
    const { variable, negations } = option;
    if (variable === undefined) return [];
    const named: Entry = [variable, { option, isOn: true }];
    if (negations.length === 0) return [named];
    return [[negateVariable(variable), { option, isOn: false }], named];
  }),
);

/** `LLAMA_ARG_MMAP` → `LLAMA_ARG_NO_MMAP` */
function negateVariable(variable: string): string {
  return variable.replace("LLAMA_ARG_", "LLAMA_ARG_NO_");
}

/** @param name including its dashes */
export function findOption(name: string): NamedOption | undefined {
  return optionsByName.get(name);
}

export function findOptionOfVariable(variable: string): NamedOption | undefined {
  return optionsByVariable.get(variable);
}

/** All variables of llama-server; negated ones come before the ones that they override. */
export const llamaServerVariables: readonly string[] = [...optionsByVariable.keys()];

/**
 * Returns the effect of an option with a value.
 * @param value `undefined` if it is missing, or for a switch
 * @returns `undefined` for a switch without an effect
 */
export function effectOf(
  { option, isOn }: NamedOption,
  value: string | undefined,
): PlainEffect | undefined {
  if (!isOn) return option.offEffect;
  const { effect } = option;
  if (effect.kind !== "cases") return effect;
  return value !== undefined && Object.hasOwn(effect.cases, value)
    ? effect.cases[value]
    : effect.otherwise;
}

/**
 * Returns the effect of an option in a file or variable, where a switch has a value too.
 * @returns `undefined` if there is none
 */
export function effectOfText(named: NamedOption, text: string): PlainEffect | undefined {
  const { option, isOn } = named;
  if (option.takes === "value") return effectOf(named, text);
  return effectOf({ option, isOn: isOn !== isFalse(text) }, undefined);
}

/** Whether llama.cpp reads a value as false. */
function isFalse(value: string): boolean {
  return ["off", "disabled", "false", "0"].includes(value);
}

/** Translates a value to ggufd's form; `undefined` if it means the default. */
export function toOwnValue(
  value: string,
  { values = {}, prefix = "", prefixed = /^/ }: SettingEffect,
): string | undefined {
  if (Object.hasOwn(values, value)) return values[value];
  return prefixed.test(value) ? `${prefix}${value}` : value;
}

/** Returns the error message for an option without an equivalent. */
export function describeAlternative({ instead }: { readonly instead: string }): string {
  return `a flag of llama-server; here, ${instead}`;
}

/** Returns the notice of an option without an effect; `undefined` for other effects. */
export function describeNotice(name: string, effect: PlainEffect | undefined): string | undefined {
  if (effect?.kind !== "accepted" && effect?.kind !== "model-kind") return undefined;
  if (effect.kind === "model-kind" && effect.flag !== undefined) return undefined;
  return `${name}: a flag of llama-server without effect; here, ${effect.reason}`;
}

/** Divides a total context by the number of slots; a text that is not a number stays unchanged. */
export function divideContext(total: string, slotCount: unknown): string {
  const slots = Number(slotCount);
  return Number(total) > 0 && slots > 0 ? String(Math.floor(Number(total) / slots)) : total;
}

/** `hf:user/repo:Q8_0` and `a.gguf` → `hf:user/repo/a.gguf` */
export function joinRepository(repository: string, file: string): string {
  return `${repository.replace(/(?<=\/.*):[^/:]*$/, "")}/${file}`;
}
