import { type Command, Option } from "commander";
import { type AttributeTexts, attributes } from "../config/keys/key-line.js";

/**
 * Adds a flag for each attribute of a key.
 * @param except attributes without a flag
 */
export function withKeyAttributes(command: Command, except: readonly string[] = []): Command {
  for (const [name, { placeholder, help }] of Object.entries(attributes)) {
    if (!except.includes(name)) command.addOption(new Option(`--${name} <${placeholder}>`, help));
  }
  return command;
}

/** Returns the given attributes, by their names in the key file. */
export function collectKeyAttributes(command: Command): AttributeTexts {
  const attributePairs = command.options.flatMap((option) => {
    const value: unknown = command.getOptionValue(option.attributeName());
    const isAttribute = Object.hasOwn(attributes, option.name()) && typeof value === "string";
    return isAttribute ? [[option.name(), value] as const] : [];
  });
  return Object.fromEntries(attributePairs);
}
