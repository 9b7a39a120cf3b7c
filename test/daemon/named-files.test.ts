import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { firstCertificate } from "../support/certificates.js";
import { tinyModel } from "../support/random-models.js";
import { run, temporaryFolder } from "./daemon.js";

const { certPath, keyPath } = firstCertificate;

type Maker = readonly [kind: string, make: (path: string) => string];

/** Creates something other than a regular file at a path. */
const makers: readonly [Maker, ...Maker[]] = [
  ["a named pipe (FIFO)", (path) => made(path, () => execFileSync("mkfifo", [path]))],
  ["a folder", (path) => made(path, () => mkdirSync(path))],
  ["a socket", (path) => made(path, () => listenAt(path))],
  ["a device", () => "/dev/zero"],
];

function made(path: string, make: () => unknown): string {
  make();
  return path;
}

function listenAt(path: string): void {
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
}

type FileOption = readonly [option: string, others: readonly string[]];

/** Options for files, with the other options required to read them at startup. */
const files: readonly [FileOption, ...FileOption[]] = [
  ["--config", []],
  ["--api-key-file", []],
  ["--access-log", []],
  ["--log-file", []],
  ["--todos", []],
  ["--conversations", []],
  ["--tls-cert", ["--tls-key", keyPath]],
  ["--tls-key", ["--tls-cert", certPath]],
];

/** Each option with a FIFO, which would block its reader, and the first one with everything else. */
const cases = [
  ...files.map((file) => [...file, ...makers[0]] as const),
  ...makers.slice(1).map((maker) => [...files[0], ...maker] as const),
];

test.each(cases)("%s fails at startup with an error that names it: %s, %s", async (...given) => {
  const [option, others, kind, make] = given;
  const path = make(join(temporaryFolder(), "named"));
  const todos = option === "--todos" ? [] : ["--todos", join(temporaryFolder(), "todos.json")];
  const args = ["--no-model", ...todos, ...others, option, path];
  const { code, stdout, stderr } = await run(["serve", ...args]);
  expect(stderr).toContain(`${option} ${path}: `);
  expect(stderr).toContain(`expected a file, got ${kind}`);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect([code, stdout]).toEqual([1, ""]);
});

const pipe = (name: string) => made(join(temporaryFolder(), name), () => undefined);

test("a FIFO as a models preset or chat template fails at startup", async () => {
  for (const [option, name] of [
    ["--models-preset", "models.yaml"],
    ["--chat-template-file", "template.jinja"],
  ] as const) {
    const path = pipe(name);
    execFileSync("mkfifo", [path]);
    const model = option === "--models-preset" ? [] : ["--model", tinyModel()];
    const { code, stderr } = await run(["serve", "--gpu", "off", ...model, option, path]);
    expect(stderr).toContain(`${option} ${path}: cannot be read: expected a file, got a named`);
    expect(code).toBe(1);
  }
});

test.each(["--models-dir", "--cache-dir", "--slot-save-path", "--allow-runtime-lora"])(
  "a FIFO as %s fails at startup",
  async (option) => {
    const path = pipe("folder");
    execFileSync("mkfifo", [path]);
    const { code, stderr } = await run(["serve", "--model", tinyModel(), option, path]);
    expect(stderr).toBe(`ggufd: ${option} ${path}: expected a folder, got a named pipe (FIFO)\n`);
    expect(code).toBe(1);
  },
);
