/**
 * `npm run docs:terminal` starts the daemon with the shipped model, asks it a question, and draws
 * what a newcomer sees as docs/images/terminal.svg. Not part of `npm run docs`: the device and the
 * threads on the start screen are those of the machine.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { drawTerminal, type TerminalLine } from "./terminal-picture.js";

const QUESTION = "What is the capital of France?";
const DESCRIPTION =
  "npm start shows model, context, KV cache, device and URL; a curl request gets an answer.";

const program = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const picture = new URL("../images/terminal.svg", import.meta.url);

const folder = mkdtempSync(join(tmpdir(), "ggufd-terminal-"));
const daemon = spawn(process.execPath, [program, "serve"], {
  cwd: folder,
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const startScreen = await readStartScreen();
  const answer = await ask(QUESTION);
  writeFileSync(picture, drawTerminal(DESCRIPTION, [...startScreen, ...answer]));
} finally {
  daemon.kill("SIGTERM");
  await once(daemon, "close");
  rmSync(folder, { recursive: true });
}

/** The lines up to the one that suggests what to try. */
async function readStartScreen(): Promise<TerminalLine[]> {
  const lines: TerminalLine[] = [{ kind: "typed", text: "npm ci && npm start" }];
  for await (const text of createInterface({ input: daemon.stdout })) {
    if (text.startsWith("  try")) return lines;
    lines.push({ kind: "printed", text });
  }
  throw new Error("the daemon ended before it was ready");
}

async function ask(question: string): Promise<TerminalLine[]> {
  const body = JSON.stringify({ messages: [{ role: "user", content: question }] });
  const response = await fetch("http://127.0.0.1:8080/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const completion = (await response.json()) as {
    choices: readonly { message: { content: string } }[];
  };
  return [
    {
      kind: "typed",
      text: "curl -s http://127.0.0.1:8080/v1/chat/completions -H 'content-type: application/json' \\",
    },
    { kind: "printed", text: `    -d '${body}' | jq -r '.choices[0].message.content'` },
    { kind: "printed", text: completion.choices[0]?.message.content ?? "" },
  ];
}
