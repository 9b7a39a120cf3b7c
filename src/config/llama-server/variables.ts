/** Reads llama-server's environment variables as settings. */
import { StartupError } from "../../core/startup-error.js";
import { fromText, type Layer } from "../layers.js";
import { flagOf, type Origin, type SettingName, settingNames } from "../settings.js";
import { describeAnyName } from "./flags.js";
import type { PlainEffect } from "./option.js";
import {
  describeAlternative,
  describeNotice,
  divideContext,
  effectOf,
  effectOfText,
  findOptionOfVariable,
  joinRepository,
  llamaServerVariables,
  toOwnValue,
} from "./options.js";

interface GivenVariable {
  readonly name: Origin;
  readonly text: string;
  readonly effect: PlainEffect | undefined;
}

/** Text of a setting and the variable that gives it. */
interface GivenText {
  readonly text: string;
  readonly origin: Origin;
}

const settingByFlag: ReadonlyMap<string, SettingName> = new Map(
  settingNames.map((name) => [flagOf(name), name]),
);

/**
 * Creates the layer of llama-server's variables. A model that is set by such a variable serves
 * requests for any name.
 * @param slotsOf returns the number of slots of the layers above, which divides a total context
 * @throws {StartupError} names a variable without an equivalent, and ggufd's alternative
 */
export function createLlamaServerLayer(
  environment: NodeJS.ProcessEnv,
  slotsOf: () => unknown,
): Layer {
  const givenVariables = readVariables(environment);
  const texts = new Map<string, GivenText>();
  for (const variable of givenVariables) {
    const [flag, text] = toOwnSetting(variable, givenVariables) ?? [];
    const name = settingByFlag.get(flag ?? "");
    if (name === undefined || text === undefined || texts.has(name)) continue;
    texts.set(name, { text, origin: variable.name });
  }
  const model = givenVariables.find(isModelVariable);
  if (model !== undefined) texts.set("acceptAnyModel", { text: "true", origin: model.name });
  const total = givenVariables.find(({ effect }) => effect?.kind === "setting" && effect.isTotal);
  return {
    lookUp(key, form) {
      const found = texts.get(key);
      if (found === undefined) return undefined;
      const { text, origin } = found;
      const isTotal = origin === total?.name;
      const slots = isTotal ? (slotsOf() ?? texts.get("parallel")?.text) : undefined;
      return { value: fromText(form, isTotal ? divideContext(text, slots) : text), origin };
    },
  };
}

/** Returns a line for each variable without effect, and for other names of a model. */
export function listLlamaServerNotices(environment: NodeJS.ProcessEnv): readonly string[] {
  const givenVariables = readVariables(environment);
  const model = givenVariables.find(isModelVariable);
  return [
    ...givenVariables.flatMap(({ name, effect }) => describeNotice(name, effect) ?? []),
    ...(model === undefined ? [] : [describeAnyName(model.name)]),
  ];
}

function isModelVariable({ effect }: GivenVariable): boolean {
  return effect?.kind === "setting" && effect.flag === "--model";
}

/** Reads the variables that are set; as in ggufd's own, an empty one is not. */
function readVariables(environment: NodeJS.ProcessEnv): readonly GivenVariable[] {
  return llamaServerVariables.flatMap((name) => {
    const text = environment[name];
    const named = findOptionOfVariable(name);
    if (text === undefined || text === "" || named === undefined) return [];
    // llama.cpp does not read the value of a negated variable.
    const effect = named.isOn ? effectOfText(named, text) : effectOf(named, undefined);
    return [{ name, text, effect }];
  });
}

/**
 * Returns the flag and the text of the setting that a variable stands for.
 * @throws {StartupError} the variable has no equivalent
 */
function toOwnSetting(
  { name, text, effect }: GivenVariable,
  givenVariables: readonly GivenVariable[],
): readonly [flag: string, text: string | undefined] | undefined {
  switch (effect?.kind) {
    case undefined:
    case "accepted":
    case "variable":
    case "program":
    case "repository-file":
      return undefined;
    case "model-kind":
      return effect.flag === undefined ? undefined : [effect.flag, "true"];
    case "refused":
      throw new StartupError(`${name}: ${describeAlternative(effect)}`);
    case "choice":
      return [effect.flag, effect.value ?? "true"];
    case "setting": {
      const own = toOwnValue(text, effect);
      const file = givenVariables.find((one) => one.effect?.kind === "repository-file");
      const isRepository = effect.flag === "--model" && effect.prefix !== undefined;
      return [
        effect.flag,
        own !== undefined && file !== undefined && isRepository
          ? joinRepository(own, file.text)
          : own,
      ];
    }
  }
}
