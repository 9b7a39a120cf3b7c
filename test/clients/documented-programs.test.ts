import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { ChatGenerationRequest } from "../../src/core/generation-request.js";
import { outputOf } from "../support/output-of.js";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";
import {
  embeddingModel,
  logitOfPair,
  rerankingModel,
  ScriptedPooling,
  vectorOfText,
} from "../support/scripted-pooling.js";
import { serve } from "../support/serve.js";
import { ALIAS } from "../support/test-app.js";
import { documentedPrograms } from "./documented-snippets.js";
import { mcpProgram } from "./mcp-program.js";
import { CLIENT_TIMEOUT } from "./run-client.js";

/** Calls the offered tool, and then answers. */
function script({ prompt }: ChatGenerationRequest): Script {
  const [tool] = prompt.tools;
  if (tool === undefined) return { parts: ["I am a ", "script."] };
  const last = prompt.messages.at(-1);
  if (last?.role === "tool") return { parts: [`It says: ${last.content}`] };
  const call = { id: "1", name: tool.name, arguments: '{"city":"Oslo"}' };
  return { parts: [{ call }], ending: "tool-calls" };
}

/** Expected output of a program, by the feature it uses. */
const expectations: readonly [uses: RegExp, prints: RegExp][] = [
  [/\btools?:/, /^It says: .*It is sunny in Oslo\./],
  [/rerank/, /relevanceScore: 0\.\d+/],
  [/embed/, /^\[\s+-?\d/],
  [/./, /^I am a script\.$/m],
];

/** Model names on the page, and the names of the models under test. */
const names = { "ggufd-mini": ALIAS, "bge-small": "embedder", "bge-reranker": "ranker" };

const server = await serve(new ScriptedEngine(script, { contextSize: 10_000 }), {
  otherModels: [
    embeddingModel(new ScriptedPooling({ vectorOf: vectorOfText })),
    rerankingModel(new ScriptedPooling({ vectorOf: logitOfPair })),
  ],
});

/** Runs a program as a module among the clients. */
async function output(program: string): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = outputOf(child);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(printed.stderr);
  return printed.stdout;
}

describe("a program of docs/clients.md", { timeout: CLIENT_TIMEOUT }, () => {
  it.for(documentedPrograms())("works as documented: $name", async ({ program }) => {
    const { command, args } = mcpProgram;
    const placed = program
      .replaceAll("http://127.0.0.1:8080", server.url)
      .replaceAll(/ggufd-mini|bge-small|bge-reranker/g, (name) => names[name as keyof typeof names])
      .replace(
        '"node", args: ["mcp-server.js"]',
        `${JSON.stringify(command)}, args: ${JSON.stringify(args)}`,
      );
    const [, prints] = expectations.find(([uses]) => uses.test(program)) ?? expect.fail(program);
    expect(await output(placed)).toMatch(prints);
  });
});
