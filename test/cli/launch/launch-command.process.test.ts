import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { type LaunchArguments, runLaunch } from "../../../src/cli/launch/launch-command.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const script = () => ({ parts: ["Hi"] });
const { url } = await serve(new ScriptedEngine(script, { contextSize: 40_000 }), {
  keyLines: ["secret scopes=inference"],
});

/**
 * A user with installed programs that record how they were started and exit with a scripted code.
 */
async function userWith(...programs: readonly string[]) {
  const home = await temporaryFolder();
  const bin = join(home, "bin");
  await mkdir(bin);
  for (const program of programs) {
    const path = join(bin, program);
    const lines = ['printf "%s\\n" "$@" > "$HOME/args"', 'env > "$HOME/env"', "exit 3"];
    await writeFile(path, `#!/bin/sh\n${lines.join("\n")}\n`);
    await chmod(path, 0o755);
  }
  const environment: NodeJS.ProcessEnv = {
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    PATH: `${bin}:/usr/bin:/bin`,
    ANTHROPIC_API_KEY: "of-another-server",
  };
  const noted = async (name: string) => (await readFile(join(home, name), "utf8")).trimEnd();
  return { home, environment, noted };
}

async function launch(options: Partial<LaunchArguments>, environment: NodeJS.ProcessEnv) {
  const written = { stdout: "", stderr: "" };
  const into = (stream: "stdout" | "stderr") => ({
    write: (text: string) => {
      written[stream] += text;
    },
  });
  const daemon = { selection: "named", url, apiKey: "secret" } as const;
  const code = await runLaunch(
    { client: undefined, model: undefined, args: [], daemon, ...options },
    environment,
    { stdout: into("stdout"), stderr: into("stderr") },
  );
  return { code, ...written };
}

describe("a launched client", () => {
  it("is not started if the daemon listens on a Unix socket, which the client does not support", async () => {
    const daemon = { selection: "named", url: "unix:/run/ggufd.sock" } as const;
    await expect(launch({ client: "claude", daemon }, {})).rejects.toThrow(
      "Claude Code cannot connect to Unix sockets: expected --url http://…, got unix:/run/ggufd.sock",
    );
  });

  it("gets the model, the arguments and the key, and determines the exit code", async () => {
    const { environment, noted } = await userWith("claude");
    const options = { client: "claude", args: ["-p", "How are you?"] } as const;
    const { code, stderr } = await launch(options, environment);
    expect(code).toBe(3);
    expect(await noted("args")).toBe("-p\nHow are you?");
    const variables = (await noted("env")).split("\n");
    expect(variables).toEqual(
      expect.arrayContaining([
        ...[`ANTHROPIC_BASE_URL=${url}`, "ANTHROPIC_MODEL=scripted"],
        "ANTHROPIC_AUTH_TOKEN=secret",
      ]),
    );
    expect(variables).not.toContain("ANTHROPIC_API_KEY=of-another-server");
    expect(stderr).toBe(
      "ggufd: scripted has a context of 40000 tokens, but Claude Code needs about 65536; raise the daemon's --context-size\n" +
        "ggufd: to resume the session later: ggufd launch claude --model scripted -- --continue\n",
    );
  });

  it("gets a configuration file without the key that only its user can read", async () => {
    const { environment, home, noted } = await userWith("opencode");
    // Simulates a folder created by an earlier version with other permissions.
    await mkdir(join(home, "state/ggufd/launch/opencode"), { recursive: true, mode: 0o755 });
    const { stderr } = await launch({ client: "opencode", model: "scripted" }, environment);
    expect(stderr).toBe(
      "ggufd: to resume the session later: ggufd launch opencode --model scripted -- --continue\n",
    );
    const folder = join(home, "state/ggufd/launch/opencode");
    const config = join(folder, "opencode.json");
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(config)).mode & 0o777).toBe(0o600);
    const text = await readFile(config, "utf8");
    expect(text).toContain('"context": 40000');
    expect(text).not.toContain("secret");
    expect(await noted("env")).toMatch(/^GGUFD_KEY=secret$/m);
    expect(await noted("env")).toContain(`OPENCODE_CONFIG=${config}`);
    expect(await noted("args")).toBe("");
  });

  it("keeps its own changes to the configuration file across launches", async () => {
    const { environment, home, noted } = await userWith("codex");
    await launch({ client: "codex", args: ["exec", "Hi"] }, environment);
    const folder = join(home, "state/ggufd/launch/codex");
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await noted("env")).toContain(`CODEX_HOME=${folder}`);
    const trusted = '[projects."/home/u/p"]\ntrust_level = "trusted"\n';
    await writeFile(join(folder, "config.toml"), trusted);
    await launch({ client: "codex", args: ["exec", "Hi"] }, environment);
    expect(await readFile(join(folder, "config.toml"), "utf8")).toBe(trusted);
    const args = (await noted("args")).split("\n");
    expect(args.slice(-2)).toEqual(["exec", "Hi"]);
    expect(args).toContain('model="scripted"');
    expect(args.join()).not.toContain("secret");
  });
});

test.each([
  [{ client: "qwen" }, "Qwen Code is not installed: qwen was not found on PATH; npm install -g"],
  [{ client: "claude", model: "other" }, "The model `other` does not exist"],
  [
    { client: "claude", daemon: { selection: "configured", url } },
    "requires an API key: set --api-key or GGUFD_API_KEY",
  ],
  [
    { client: "claude", daemon: { selection: "configured", url: "http://127.0.0.1:1" } },
    "no daemon answers at http://127.0.0.1:1",
  ],
] as const)("launching %j fails with a one-line error", async (options, message) => {
  const { environment } = await userWith("claude");
  await expect(launch(options, environment)).rejects.toThrow(message);
});

test("all supported clients are listed with their path or the installation command", async () => {
  const { environment, home } = await userWith("opencode");
  const { code, stdout } = await launch({}, environment);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^claude +Claude Code +not installed: npm install -g @anthropic-ai\/claude-code$/m,
  );
  expect(stdout).toMatch(new RegExp(`^opencode +opencode +${join(home, "bin", "opencode")}$`, "m"));
});
