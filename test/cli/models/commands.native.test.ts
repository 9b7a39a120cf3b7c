import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runAdd, runRemove } from "../../../src/cli/models/change-commands.js";
import { runList } from "../../../src/cli/models/list-command.js";
import { type PullArguments, runPull } from "../../../src/cli/models/pull-command.js";
import { runShow } from "../../../src/cli/models/show-command.js";
import { ggufOf, sha256Of } from "../../support/model-sources/file-answers.js";
import { HubStandIn } from "../../support/model-sources/hub.js";
import { putInOllama } from "../../support/model-sources/other-programs.js";
import { shippedModel } from "../../support/shipped-model.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/** Environment of a user without any files, and the default models folder. */
async function newUser() {
  const home = await temporaryFolder();
  const environment: NodeJS.ProcessEnv = {
    XDG_DATA_HOME: join(home, "data"),
    XDG_CACHE_HOME: join(home, "cache"),
    OLLAMA_MODELS: join(home, "ollama"),
    HOME: home,
  };
  return { home, environment, own: join(home, "data", "ggufd", "models") };
}

const here = { modelsDir: undefined };

async function pull(options: Partial<PullArguments>, environment: NodeJS.ProcessEnv) {
  const written = { stdout: "", stderr: "" };
  const into = (stream: "stdout" | "stderr") => ({
    write: (text: string) => {
      written[stream] += text;
    },
  });
  const all = {
    names: ["user/repo"],
    network: "allowed",
    ifStored: "keep",
    output: "text",
  } as const;
  await runPull(
    { ...all, ...here, ...options },
    environment,
    { stdout: into("stdout"), stderr: into("stderr") },
    new AbortController().signal,
  );
  return written;
}

test("a model can be pulled, listed, and removed; pulling it again offline keeps it", async () => {
  const { environment, own } = await newUser();
  const hub = await HubStandIn.start({ files: { "m-Q4_0.gguf": ggufOf(100_000) } });
  const withHub = { ...environment, ...hub.environment };
  const place = `user/repo:Q4_0: 100 kB at ${own}/hf/user/repo/m-Q4_0.gguf`;
  const pulled = await pull({}, withHub);
  expect(pulled.stdout).toBe(`${place}\n`);
  expect(pulled.stderr).toContain("user/repo:Q4_0: ");
  expect((await pull({ network: "never" }, withHub)).stdout).toBe(`${place}, already present\n`);
  await expect(pull({ names: ["u/other"], network: "never" }, withHub)).rejects.toMatchObject({
    code: "offline",
  });
  expect(await runList({ ...here, output: "text" }, environment)).toMatch(
    /^user\/repo:Q4_0 +100 kB +\d{4}-\d\d-\d\d +ggufd$/m,
  );
  const lines: string[] = [];
  await runRemove({ names: ["user/repo"], ...here }, environment, (line) => lines.push(line));
  expect(lines).toEqual(["user/repo:Q4_0: removed, freed 100 kB"]);
  expect(JSON.parse(await runList({ ...here, output: "json" }, environment))).toEqual({
    models: [],
    partials: [],
    problems: [],
  });
});

test("pull --json prints a line for each event, and the model last", async () => {
  const { environment } = await newUser();
  const content = ggufOf(5000);
  const hub = await HubStandIn.start({ files: { "m-Q4_0.gguf": content } });
  const { stdout, stderr } = await pull({ output: "json" }, { ...environment, ...hub.environment });
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.map(({ type }) => type)).toEqual([
    ...["resolving", "resolved", "progress", "progress", "stored", "pulled"],
  ]);
  expect(events[1].files).toEqual([
    { path: "hf/user/repo/m-Q4_0.gguf", role: "model", sizeBytes: 5000, sha256: sha256Of(content) },
  ]);
  expect(events.at(-1).model.name).toBe("user/repo:Q4_0");
  expect(stderr).toBe("");
});

test("a file can be added, shown with its metadata, and removed", async () => {
  const { environment, home } = await newUser();
  const path = join(home, "mini.gguf");
  await copyFile(shippedModel, path);
  expect(await runAdd({ path, ...here }, environment)).toBe(`mini: added, at ${path}\n`);
  const shown = await runShow({ name: "mini", ...here, output: "text" }, environment);
  expect(shown).toMatch(/^where +added$/m);
  expect(shown).toMatch(/^model +.*llama.*parameters\)$/m);
  expect(shown).toMatch(/^chat template +in the file$/m);
  const json = JSON.parse(await runShow({ name: "mini", ...here, output: "json" }, environment));
  expect(json).toMatchObject({ header: { state: "sound", kind: "generation" } });
  const lines: string[] = [];
  await runRemove({ names: ["mini"], ...here }, environment, (line) => lines.push(line));
  expect(lines).toEqual([`mini: unregistered; its files remain at ${path}`]);
});

test("an invalid GGUF file is shown with the reason", async () => {
  const { environment, own } = await newUser();
  await mkdir(own, { recursive: true });
  await writeFile(join(own, "bad.gguf"), "GGUF");
  const shown = await runShow({ name: "bad", ...here, output: "text" }, environment);
  expect(shown).toMatch(/^problem +.*not a valid GGUF file: the version of the format/m);
});

test("an Ollama model is shown with its template, system prompt and license", async () => {
  const { environment, home } = await newUser();
  await putInOllama(join(home, "ollama"), "registry.ollama.ai/library/m/latest", [
    ["model", "GGUF"],
    ["template", "{{ .System }}\n{{ .Prompt }}"],
    ["system", "Be kind."],
    ["params", '{"stop":["<end>"]}'],
    ["license", "MIT License\nlong"],
  ]);
  const shown = await runShow({ name: "m", ...here, output: "text" }, environment);
  expect(shown).toContain("Ollama template\n  {{ .System }}\n  {{ .Prompt }}\n");
  expect(shown).toContain("system message\n  Be kind.\n");
  expect(shown).toContain('parameters\n  stop ["<end>"]\n');
  expect(shown).toContain("licences\n  MIT License\n");
});

test("an unknown model name is reported", async () => {
  const { environment } = await newUser();
  await expect(runShow({ name: "x", ...here, output: "text" }, environment)).rejects.toMatchObject({
    code: "not_found",
  });
  await expect(
    runRemove({ names: ["x"], ...here }, environment, () => undefined),
  ).rejects.toMatchObject({ code: "not_found" });
});
