import { expect, test } from "vitest";
import { describeUnknownVariables } from "../../src/config/load-config.js";

test.each([
  ["GGUFD_CONTEXT_SIZ", "GGUFD_CONTEXT_SIZE"],
  ["GGUFD_PROT", "GGUFD_PORT"],
  ["GGUFD_API_KEYS", "GGUFD_API_KEY"],
  ["GGUFD_", "GGUFD_GPU"],
])("%s is reported as unknown, with %s as the nearest setting", (name, nearest) => {
  const lines = describeUnknownVariables({ [name]: "secret", PATH: "/bin", GGUFD_PORT: "1" });
  expect(lines).toEqual([`${name}: no such setting; the nearest is ${nearest}`]);
});

test("settings are not reported as unknown, nor are variables of a service named ggufd", () => {
  const environment = {
    GGUFD_CONFIG: "a",
    GGUFD_CACHE_DIR: "b",
    GGUFD_SERVICE_HOST: "10.0.0.1",
    GGUFD_SERVICE_PORT_HTTP: "80",
    GGUFD_PORT_80_TCP_ADDR: "10.0.0.1",
  };
  expect(describeUnknownVariables(environment)).toEqual([]);
});
