import { describe, expect, test } from "vitest";
import { llamaServerOptions, optionGroups } from "../../../src/config/llama-server/options.js";
import { flagOf, settingNames, settings } from "../../../src/config/settings.js";
import { parseArguments, readArgumentSource } from "./arg-parser.js";

const source = readArgumentSource();

const former: readonly object[] = optionGroups["Earlier versions of llama-server"];

/**
 * Options sorted by their first name, with sorted names; the last of repeated declarations counts.
 */
function comparable(
  options: readonly {
    readonly names: readonly string[];
    readonly negations: readonly string[];
    readonly variable?: string | undefined;
    readonly takes: string;
  }[],
) {
  return Object.fromEntries(
    options
      .map(({ names, negations, variable, takes }) => ({
        names: names.toSorted(),
        negations: negations.toSorted(),
        variable: variable ?? "none",
        takes,
      }))
      .toSorted((one, other) => (one.names.join() < other.names.join() ? -1 : 1))
      .map((option) => [option.names.join(" "), option]),
  );
}

describe("options of llama-server", () => {
  test.skipIf(source === undefined)(
    "equal those of the bundled llama.cpp (skipped without git, which unpacks its source)",
    () => {
      const current = llamaServerOptions.filter((option) => !former.includes(option));
      const parsed = parseArguments(source ?? "");
      expect(parsed.length).toBeGreaterThan(200);
      expect(comparable(current)).toEqual(comparable(parsed));
    },
  );

  test("have unique names", () => {
    const names = llamaServerOptions.flatMap((option) => [...option.names, ...option.negations]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test("map to existing flags of ggufd", () => {
    const flags = llamaServerOptions
      .flatMap(({ effect, offEffect }) =>
        effect.kind === "cases"
          ? [...Object.values(effect.cases), effect.otherwise]
          : [effect, ...(offEffect ? [offEffect] : [])],
      )
      .flatMap((effect) =>
        effect.kind === "setting" || effect.kind === "choice" ? [effect.flag] : [],
      );
    const own: readonly string[] = settingNames.map(flagOf);
    expect(flags.filter((flag) => !own.includes(flag))).toEqual([]);
  });

  test("map to allowed values of ggufd's settings", () => {
    for (const { effect, offEffect } of llamaServerOptions) {
      for (const one of [effect, offEffect]) {
        if (one?.kind !== "choice" || one.value === undefined) continue;
        const name = settingNames.find((candidate) => flagOf(candidate) === one.flag);
        const number = Number(one.value);
        const value = Number.isNaN(number) ? one.value : number;
        expect(name && settings[name].schema.safeParse(value).success, one.flag).toBe(true);
      }
    }
  });
});
