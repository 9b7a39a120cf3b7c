import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { expect } from "vitest";
import { eventually } from "./eventually.js";

/** llama-server of the same commit, with the same kernels. Its build takes minutes: see bench/README.md. */
export const llamaServerPath = process.env.LLAMA_SERVER_PATH;

export interface LlamaServer {
  readonly url: string;
  readonly stop: () => void;
}

/** Starts llama-server on a free port, with one slot and one thread. */
export async function startLlamaServer(flags: readonly string[]): Promise<LlamaServer> {
  const port = await freePort();
  const common = ["-np", "1", "-c", "512", "-t", "1", "--port", `${port}`];
  const child = spawn(llamaServerPath ?? "", [...flags, ...common], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${url}/health`)).ok).toBe(true));
  return { url, stop: () => child.kill() };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}
