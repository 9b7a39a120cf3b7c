import type { ModelKind } from "../../core/model-directory.js";

type Values = Readonly<Record<string, string | undefined>>;

/** Setting that takes the values of an option. */
export interface SettingEffect {
  readonly kind: "setting";
  readonly flag: string;
  /** Maps llama-server's values to ggufd's where they differ; `undefined` is the default. */
  readonly values?: Values;
  /** Whether the value is the total context of all slots. */
  readonly isTotal?: boolean;
  /** `each`: the flag is repeated for each item of a comma-separated list. */
  readonly takes?: "each";
  /**
   * Prefix of the values that match `prefixed`.
   * @default all values
   */
  readonly prefix?: string;
  readonly prefixed?: RegExp;
  /** Difference from llama-server, for docs/llama-server.md. */
  readonly note?: string;
}

/** Purpose of the model, which a preset can set and which files state themselves. */
export interface ModelKindEffect {
  readonly kind: "model-kind";
  readonly modelKind: ModelKind;
  readonly reason: string;
  /** Switch with this effect outside of presets; none if absent. */
  readonly flag?: string;
}

/** Effect of an option that does not depend on its value. */
export type PlainEffect =
  | SettingEffect
  /** ggufd flag with a fixed value; a switch if absent. */
  | { readonly kind: "choice"; readonly flag: string; readonly value?: string }
  /** No effect: ggufd always behaves so, or needs no such option. */
  | { readonly kind: "accepted"; readonly reason: string }
  | ModelKindEffect
  /** File within the repository of another option. */
  | { readonly kind: "repository-file" }
  /** Environment variable that ggufd reads. */
  | { readonly kind: "variable"; readonly name: string }
  /** Option of ggufd with the same name that is no setting. */
  | { readonly kind: "program" }
  | { readonly kind: "refused"; readonly instead: string };

/** Effect of an option; the cases are its possible values. */
export type Effect =
  | PlainEffect
  | {
      readonly kind: "cases";
      readonly cases: Readonly<Record<string, PlainEffect>>;
      readonly otherwise: PlainEffect;
    };

/** Option of llama-server. */
export interface LlamaServerOption {
  readonly names: readonly string[];
  /** Names that turn a switch off. */
  readonly negations: readonly string[];
  readonly variable?: string;
  readonly takes: "value" | "nothing";
  readonly effect: Effect;
  /** Effect of a switch that is turned off; none if absent. */
  readonly offEffect?: PlainEffect;
}

const split = (names: string) => names.split(" ");
const toVariableField = (variable: string | undefined) =>
  variable === undefined ? {} : { variable };

/**
 * Declares an option with a value.
 * @param names separated by spaces
 */
export function value(names: string, effect: Effect, variable?: string): LlamaServerOption {
  return {
    names: split(names),
    negations: [],
    takes: "value",
    effect,
    ...toVariableField(variable),
  };
}

/** Declares a switch that cannot be negated. */
export function flag(names: string, effect: PlainEffect, variable?: string): LlamaServerOption {
  return {
    names: split(names),
    negations: [],
    takes: "nothing",
    effect,
    ...toVariableField(variable),
  };
}

/** Declares a switch with a negation, and the effects of both. */
export function toggle(
  names: string,
  negations: string,
  { on, off }: { readonly on: PlainEffect; readonly off: PlainEffect },
  variable?: string,
): LlamaServerOption {
  return {
    ...flag(names, on, variable),
    negations: split(negations),
    offEffect: off,
  };
}

export const setting = (flag: string, values?: Values): SettingEffect => ({
  kind: "setting",
  flag,
  ...(values && { values }),
});

export const choice = (flag: string, value?: string): PlainEffect => ({
  kind: "choice",
  flag,
  ...(value !== undefined && { value }),
});

export const accepted = (reason: string): PlainEffect => ({ kind: "accepted", reason });

export const refused = (instead: string): PlainEffect => ({ kind: "refused", instead });

export const cases = (
  effects: Readonly<Record<string, PlainEffect>>,
  otherwise: PlainEffect,
): Effect => ({ kind: "cases", cases: effects, otherwise });
