/**
 * Renews `expected-prompts.tsv` with llama-server of the same commit, and fails where a prompt differs
 * from its without a reason: `npx tsx test/engine/text/prompt/templates/renew-expected-prompts.ts
 * .cache/peer/build/bin/llama-server models/ggufd-mini.gguf` (the program is built by `npm run bench`).
 */
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { TextChatPrompt } from "../../../../../src/core/generation-request.js";
import { strftime } from "../../../../../src/engine/text/prompt/jinja/strftime.js";
import { bundledTemplate, PINNED_DAY, templateNames, templatePath } from "./bundled-templates.js";
import { conversations } from "./conversations.js";
import { allowedDifference } from "./differences.js";
import { promptHash, writeExpectedPrompts } from "./expected-prompts.js";
import { requestBody } from "./request-body.js";

const [program, model] = process.argv.slice(2);
if (program === undefined || model === undefined) {
  throw new Error("expected the paths of llama-server and of ggufd-mini.gguf");
}

const URL_BASE = "http://127.0.0.1:18337";
/** Timeout of a start that loads a model of a few megabytes. */
const START_TIMEOUT_MS = 30_000;
/** The forms in which templates print the day; llama-server's clock cannot be pinned. */
const DATE_FORMATS = ["%Y-%m-%d", "%B %d, %Y", "%d %b %Y", "%b %d %Y"];

const rows = new Map<string, { hash: string; reason?: ReturnType<typeof allowedDifference> }[]>();
const unexplained: string[] = [];
for (const name of templateNames) {
  const template = bundledTemplate(name);
  const theirs = await renderAll(program, model, name);
  const cells = Object.entries(conversations).map(([conversation, prompt]) => {
    const hash = promptHash(template.renderProbe(prompt));
    if (hash === theirs.get(conversation)) return { hash };
    const reason = allowedDifference(name, conversation);
    if (reason === undefined) unexplained.push(`${name}: ${conversation}`);
    return { hash, reason };
  });
  rows.set(name, cells);
}
if (unexplained.length > 0) {
  throw new Error(`differs from llama-server without a reason:\n${unexplained.join("\n")}`);
}
writeExpectedPrompts(Object.keys(conversations), rows);

/** Hashes of llama-server's prompts with a template. */
async function renderAll(path: string, modelPath: string, name: string) {
  const args = ["-m", modelPath, "--jinja", "--chat-template-file", templatePath(name)];
  const more = ["--port", "18337", "-c", "512", "-np", "1", "--no-warmup", "-t", "1"];
  const server = spawn(path, [...args, ...more], { stdio: "ignore" });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  try {
    await started(name);
    const hashes = new Map<string, string>();
    for (const [conversation, prompt] of Object.entries(conversations)) {
      hashes.set(conversation, promptHash(await applyTemplate(prompt)));
    }
    return hashes;
  } finally {
    server.kill();
    await ended;
  }
}

async function started(name: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const health = await fetch(`${URL_BASE}/health`).catch(() => undefined);
    if (health?.ok) return;
    await delay(50);
  }
  throw new Error(`llama-server does not start with ${name}`);
}

async function applyTemplate(prompt: TextChatPrompt): Promise<string | undefined> {
  const body = JSON.stringify(requestBody(prompt));
  const response = await fetch(`${URL_BASE}/apply-template`, { method: "POST", body });
  const answer = (await response.json()) as { readonly prompt?: string };
  return answer.prompt && onPinnedDay(answer.prompt);
}

function onPinnedDay(prompt: string): string {
  const today = new Date();
  return DATE_FORMATS.reduce(
    (text, format) => text.replaceAll(strftime(today, format), strftime(PINNED_DAY, format)),
    prompt,
  );
}
