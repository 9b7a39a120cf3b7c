import { describe, expect, test } from "vitest";
import { environmentVariableOf, flagOf, settingNames } from "../../src/config/settings.js";

describe("the names of a setting", () => {
  test.each([
    ["port", "--port", "GGUFD_PORT"],
    ["contextSize", "--context-size", "GGUFD_CONTEXT_SIZE"],
    ["acceptAnyModel", "--accept-any-model", "GGUFD_ACCEPT_ANY_MODEL"],
    ["apiKeyFile", "--api-key-file", "GGUFD_API_KEY_FILE"],
    ["config", "--config", "GGUFD_CONFIG"],
  ])("%s are the flag %s and the variable %s", (name, flag, variable) => {
    expect(flagOf(name)).toBe(flag);
    expect(environmentVariableOf(name)).toBe(variable);
  });

  test("are unique", () => {
    expect(new Set(settingNames.map(flagOf)).size).toBe(settingNames.length);
    expect(new Set(settingNames.map(environmentVariableOf)).size).toBe(settingNames.length);
  });
});
