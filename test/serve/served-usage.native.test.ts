import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { openServedUsage } from "../../src/serve/served-usage.js";
import { temporaryFolder } from "../support/temporary-folder.js";

async function open(flags: Readonly<Record<string, string>>) {
  const { config } = loadConfig({ flags, environment: {} });
  const logger = { warn: vi.fn(), error: vi.fn() };
  const opened = await openServedUsage(config, logger);
  onTestFinished(opened.close);
  return { ...opened, logger };
}

describe("a second daemon on the folder of usage", () => {
  it("does not start if it is configured", async () => {
    const usage = join(await temporaryFolder(), "usage");
    expect((await open({ usage })).served.is).toBe("kept");
    await expect(open({ usage })).rejects.toThrow(/^--usage .*: the folder is in use by process /);
  });

  it("keeps no usage if it is the default", async () => {
    vi.stubEnv("XDG_DATA_HOME", await temporaryFolder());
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    expect((await open({})).served.is).toBe("kept");
    const { served, logger } = await open({});
    expect(served).toMatchObject({
      is: "disabled",
      because: expect.stringContaining("in use by process"),
    });
    expect(logger.warn).toHaveBeenCalledOnce();
  });
});
