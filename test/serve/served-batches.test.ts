import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { KeyRing } from "../../src/http/keys/key-ring.js";
import { openServedBatches, selectBatchesFolder } from "../../src/serve/served-batches.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const MAX_LINE_BYTES = 1000;

describe("the folder of batches", () => {
  const home = join(homedir(), ".local", "share", "ggufd", "batches");

  it.each([
    [undefined, ["127.0.0.1"], {}, home],
    [undefined, ["127.0.0.1"], { XDG_DATA_HOME: "/data" }, "/data/ggufd/batches"],
    [undefined, ["unix:/run/ggufd.sock"], { XDG_DATA_HOME: "/data" }, "/data/ggufd/batches"],
    [undefined, ["127.0.0.1", "0.0.0.0"], {}, undefined],
    ["/batches", ["0.0.0.0"], {}, "/batches"],
    ["none", ["127.0.0.1"], {}, undefined],
  ])("with --batches %s on %j and %j is %s", (batches, host, environment, expected) => {
    expect(selectBatchesFolder({ batches, host }, environment)).toBe(expected);
  });
});

describe("opening the batches of a server", () => {
  async function open(flags: Readonly<Record<string, string>>) {
    const { config } = loadConfig({ flags, environment: {} });
    const logger = { warn: vi.fn() };
    const opened = await openServedBatches(config, new KeyRing([]), MAX_LINE_BYTES, logger);
    onTestFinished(opened.close);
    return { ...opened, logger };
  }

  it("disables them with a reason", async () => {
    const { served } = await open({ batches: "none" });
    expect(served).toEqual({ are: "disabled", because: "--batches is none" });
  });

  it("fails if another daemon uses the configured folder", async () => {
    const batches = join(await temporaryFolder(), "batches");
    expect((await open({ batches })).served.are).toBe("served");
    await expect(open({ batches })).rejects.toThrow(
      /^--batches .*: the folder is in use by process /,
    );
  });

  it("disables them if another daemon uses the default folder", async () => {
    vi.stubEnv("XDG_DATA_HOME", await temporaryFolder());
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    expect((await open({})).served.are).toBe("served");
    const { served, logger } = await open({});
    expect(served).toMatchObject({
      are: "disabled",
      because: expect.stringContaining("in use by process"),
    });
    expect(logger.warn).toHaveBeenCalledOnce();
  });
});
