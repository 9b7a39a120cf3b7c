import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { openServedUsage, selectUsageFolder } from "../../src/serve/served-usage.js";

describe("the folder of usage", () => {
  const home = join(homedir(), ".local", "share", "ggufd", "usage");

  it.each([
    [undefined, {}, home],
    [undefined, { XDG_DATA_HOME: "" }, home],
    [undefined, { XDG_DATA_HOME: "/data" }, "/data/ggufd/usage"],
    ["/usage", { XDG_DATA_HOME: "/data" }, "/usage"],
    ["none", {}, undefined],
  ])("with --usage %s in %j is %s", (usage, environment, expected) => {
    expect(selectUsageFolder({ usage }, environment)).toBe(expected);
  });

  it("is none by choice, with the reason", async () => {
    const { config } = loadConfig({ flags: { usage: "none" }, environment: {} });
    const logger = { warn: () => undefined, error: () => undefined };
    const { served, activity } = await openServedUsage(config, logger);
    expect(served).toEqual({ is: "disabled", because: "--usage is none" });
    expect(activity()).toEqual({ unwrittenRequests: 0, failedWrites: 0 });
  });
});
