import { request } from "node:http";
import { expect, it } from "vitest";
import { run, start } from "./daemon.js";

/** `fetch` does not allow setting the Host header. */
function statusFor(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}/health/live`, { headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on("error", reject);
    call.end();
  });
}

it("a daemon on a loopback address accepts only local hosts and hosts of --allowed-host", async () => {
  const { url } = await start(["--no-model", "--allowed-host", "llm.example.com"]);
  expect(await statusFor(url, {})).toBe(200);
  expect(await statusFor(url, { host: "llm.example.com" })).toBe(200);
  expect(await statusFor(url, { host: "evil.example" })).toBe(403);
});

it("a daemon rejects pages whose origin is not listed in --cors-origin", async () => {
  const { url } = await start(["--no-model", "--cors-origin", "https://page.example"]);
  expect(await statusFor(url, { origin: "https://page.example" })).toBe(200);
  expect(await statusFor(url, { origin: "https://evil.example" })).toBe(403);
});

it.each([
  ["--allowed-host", "http://llm.example.com"],
  ["--cors-origin", "example.com"],
  ["--trust-proxy", "proxy"],
  ["--max-connections", "0"],
  ["--max-connections-per-address", "many"],
  ["--request-timeout", "5m"],
  ["--write-timeout", "0"],
])("%s %s fails at startup with a one-line error", async (flag, value) => {
  const { code, stderr } = await run(["--no-model", flag, value]);
  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`^ggufd: ${flag}: expected [^\n]+\n$`));
});
