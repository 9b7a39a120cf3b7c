import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { buildCli } from "../../src/cli.js";
import { environmentVariableOf, settingNames } from "../../src/config/settings.js";

/** Values that the command line hands to `serve`, or the rows that `config` prints. */
async function run(...words: string[]) {
  const serve = vi.fn(async (_config: Readonly<Record<string, unknown>>) => {});
  const buildNative = vi.fn(async () => {});
  const print = vi.fn((_text: string) => {});
  await buildCli({ serve, buildNative, print }).parseAsync(["node", "ggufd", ...words]);
  return { config: serve.mock.lastCall?.[0], printed: print.mock.lastCall?.[0], buildNative };
}

beforeEach(() => {
  for (const name of settingNames) vi.stubEnv(environmentVariableOf(name), undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the command line", () => {
  test.each([
    [[], { model: undefined, noModel: false }],
    [["--no-model"], { model: undefined, noModel: true }],
    [["--model", "a.gguf"], { model: "a.gguf", noModel: false }],
    [["serve", "--no-model", "--port", "0"], { model: undefined, noModel: true, port: 0 }],
  ])("%j serves with %j", async (words, expected) => {
    expect((await run(...words)).config).toMatchObject(expected);
  });

  test("compiles llama.cpp, and serves nothing", async () => {
    const { buildNative, config } = await run("build-native");
    expect(buildNative).toHaveBeenCalledOnce();
    expect(config).toBeUndefined();
  });

  test("overrules the environment", async () => {
    vi.stubEnv("GGUFD_NO_MODEL", "no");
    vi.stubEnv("GGUFD_PORT", "1");
    const { config } = await run("--no-model");
    expect(config).toMatchObject({ noModel: true, port: 1 });
  });

  test("takes a key as often as it comes, and prints none", async () => {
    const words = ["--api-key", "sk-one", "--api-key", "sk-two"];
    expect((await run(...words)).config).toMatchObject({ apiKey: ["sk-one", "sk-two"] });
    const { printed } = await run("config", ...words);
    expect(printed).toContain("2 (hidden)");
    expect(printed).not.toContain("sk-");
  });

  test("prints what it would serve with and does not serve", async () => {
    const { config, printed } = await run("config", "--no-model");
    expect(config).toBeUndefined();
    expect(printed).toMatch(/^noModel +true +--no-model$/m);
  });

  test("names the flag of a value that does not fit", async () => {
    await expect(run("--port", "http")).rejects.toThrow(/^--port: expected an integer/);
  });
});
