// A server of the Model Context Protocol that misbehaves: `node misbehaving.mjs KIND`.
import { createInterface } from "node:readline";

const [, , kind = ""] = process.argv;
const schema = { type: "object" };
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const lists = {
  "500-tools": () =>
    Array.from({ length: 500 }, (_, index) => ({ name: `t${index}`, inputSchema: schema })),
  "invalid-list": () => [{ name: 1 }],
};

const results = {
  huge: () => ({ content: [{ type: "text", text: "x".repeat(100_000) }] }),
  // Larger than any message may be.
  gigantic: () => ({ content: [{ type: "text", text: "x".repeat(20 * 2 ** 20) }] }),
  "invalid-result": () => ({ content: "none" }),
};

if (kind === "dies-at-start") process.exit(1);
if (kind === "prints") process.stdout.write('Welcome!\n{"half": \n\n[]\n');

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: kind, version: "1" },
      },
    });
  } else if (method === "tools/list") {
    // A list that never ends.
    const more = kind === "endless-list" ? { nextCursor: "next" } : {};
    const tools = lists[kind]?.() ?? [{ name: "do", inputSchema: schema }];
    send({ id, result: { tools, ...more } });
  } else if (method === "tools/call") {
    if (kind === "dies") process.exit(1);
    if (kind === "hangs") return;
    if (kind === "broken-json") process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":\n`);
    else send({ id, result: results[kind]?.() ?? { content: [{ type: "text", text: "Done." }] } });
  }
});
