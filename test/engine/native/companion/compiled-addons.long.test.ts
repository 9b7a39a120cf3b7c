import { readdirSync } from "node:fs";
import { getLlama } from "node-llama-cpp";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { findAddonFile } from "../../../../src/engine/native/companion/addon-files.js";
import { attachCompanion } from "../../../../src/engine/native/companion/attach-companion.js";
import { ensureAddon } from "../../../../src/engine/native/companion/compile-addon.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

/** Folders as on a platform without a prebuilt addon. */
const places = async () => ({
  prebuilt: await temporaryFolder(),
  compiled: await temporaryFolder(),
});

/** Compiling takes 20 s on a quiet machine. */
const COMPILING = { timeout: 300_000 };

describe("an addon without a prebuilt file", () => {
  test("is compiled once and loaded afterwards", COMPILING, async () => {
    const where = await places();
    const messages: string[] = [];
    const ensure = () =>
      ensureAddon("companion", (_level, message) => messages.push(message), where);
    await ensure();
    const file = findAddonFile("companion", where);
    expect(messages).toEqual([
      expect.stringMatching(/^compiling the native companion for this machine/),
      `compiled the native companion: ${file}`,
    ]);
    const llama = await getLlama({ gpu: false, build: "never", skipDownload: true });
    const companion = await attachCompanion(llama, file);
    expect(companion.devices()).toContainEqual(expect.objectContaining({ name: "CPU" }));
    await ensure();
    expect(messages).toHaveLength(2);
    expect(readdirSync(where.compiled)).toHaveLength(1);
  });

  test("reports a compiler error", async () => {
    vi.stubEnv("CXX", "false");
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(ensureAddon("decoder", () => undefined, await places())).rejects.toThrow(
      /^false ended with 1/,
    );
  });

  test("for decoding files can be compiled", COMPILING, async () => {
    const where = await places();
    await ensureAddon("decoder", () => undefined, where);
    const module = { exports: {} as { decodeImage?: unknown } };
    process.dlopen(module, findAddonFile("decoder", where));
    expect(module.exports.decodeImage).toBeTypeOf("function");
  });

  test("for the devices of other machines can be compiled", COMPILING, async () => {
    const where = await places();
    const llama = await getLlama({ gpu: false, build: "never", skipDownload: true });
    (await attachCompanion(llama)).shareLibraries();
    await ensureAddon("rpc", () => undefined, where);
    const module = { exports: {} as { serve?: unknown } };
    process.dlopen(module, findAddonFile("rpc", where));
    expect(module.exports.serve).toBeTypeOf("function");
  });
});
