import { expect, it } from "vitest";
import type { Setting } from "../../src/config/setting.js";
import { settingNames, settings } from "../../src/config/settings.js";

const MAX_WORDS = 12;

it.each(settingNames)("the help of %s is a phrase of at most twelve words", (name) => {
  const { help }: Setting = settings[name];
  const phrase = help.replace(/ \(default: .*\)$/, "");
  expect(phrase.split(" ").length, phrase).toBeLessThanOrEqual(MAX_WORDS);
  expect(phrase, "no sentence").not.toMatch(/\.$/);
});
