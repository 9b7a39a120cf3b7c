import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { openRaw } from "../support/raw-connection.js";
import { start } from "./daemon.js";
import { requestsInFlight } from "./engine-of.js";

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const portOf = (url: string) => Number(new URL(url).port);
const model = ["--gpu", "off", "--threads", "1", "--model", tinyModel(), "--alias", "tiny"];

function stream(): string {
  const body = JSON.stringify({
    messages: [{ role: "user", content: "Hi" }],
    stream: true,
    ignore_eos: true,
    max_tokens: 1900,
  });
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

describe("one connection with many requests", () => {
  it("gets the prebuilt API description for each request", async () => {
    const { url } = await start(["--no-model"]);
    const built = readFileSync(new URL("../../dist/openapi.yaml", import.meta.url));
    const { socket } = await openRaw(portOf(url));
    let bytes = 0;
    socket.on("data", (part) => {
      bytes += Buffer.byteLength(part);
    });
    socket.write(get("/openapi.yaml").repeat(100));
    await eventually(() => expect(bytes).toBeGreaterThan(100 * built.length));
    const { info } = (await (await fetch(`${url}/openapi.json`)).json()) as {
      readonly info: { readonly version: string };
    };
    expect(built.toString()).toContain(`\n  version: ${info.version}\n`);
  });

  it("frees all slots when it closes during a hundred streams", async () => {
    const { url } = await start([...model, "--parallel", "4"]);
    const { socket, received } = await openRaw(portOf(url), stream().repeat(100));
    await eventually(() => expect(received()).toContain("data: "));
    socket.destroy();
    const alone = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "Hi" }], max_tokens: 2 }),
    });
    expect(alone.status).toBe(200);
    await requestsInFlight(url, { running: 0, waiting: 0 });
  });
});
