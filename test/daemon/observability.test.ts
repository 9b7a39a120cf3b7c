import { once } from "node:events";
import { existsSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.js";
import { run, start, temporaryFolder } from "./daemon.js";

function linesOf(path: string): readonly { readonly path: string }[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

describe("the access log", () => {
  it("is reopened on SIGHUP, and complete after SIGTERM", async () => {
    const path = join(temporaryFolder(), "access.log");
    const { process, url, exited } = await start(["--no-model", "--access-log", path]);
    await fetch(`${url}/api/todos?secret=query`);
    await eventually(() => expect(linesOf(path)).toHaveLength(1));
    renameSync(path, `${path}.1`);
    process.kill("SIGHUP");
    await eventually(() => expect(existsSync(path)).toBe(true));
    await fetch(`${url}/v1/todos`);
    process.kill("SIGTERM");
    const { code, stderr } = await exited;
    expect(code).toBe(0);
    expect(stderr).toBe("");
    expect(linesOf(`${path}.1`)).toMatchObject([{ path: "/api/todos", status: 200 }]);
    expect(linesOf(path)).toMatchObject([{ path: "/v1/todos", status: 200 }]);
  });

  it("does not delay the exit if its disk is full", async () => {
    const path = join(temporaryFolder(), "access.log");
    const args = ["--no-model", "--access-log", path];
    const { process, url, output, exited } = await start(args);
    renameSync(path, `${path}.1`);
    symlinkSync("/dev/full", path);
    process.kill("SIGHUP");
    await eventually(async () => {
      await fetch(`${url}/v1/todos`);
      expect(output.stderr).toContain("lines are lost");
    });
    process.kill("SIGTERM");
    expect((await exited).code).toBe(0);
  });

  it("prevents the start if it cannot be opened", async () => {
    const { code, stderr } = await run(["--no-model", "--access-log", "/nowhere/access.log"]);
    expect(stderr).toMatch(
      /^ggufd: --access-log \/nowhere\/access\.log: cannot be opened: ENOENT.*\n$/,
    );
    expect(code).toBe(1);
  });
});

describe("the log file", () => {
  it("has the lines of standard error, until its disk is full", async () => {
    const path = join(temporaryFolder(), "ggufd.log");
    const args = ["--no-model", "--log-level", "info", "--log-file", path];
    const { process, url, output, exited } = await start(args);
    await fetch(`${url}/api/todos`);
    await eventually(() => expect(linesOf(path)).toMatchObject([{ path: "/api/todos" }]));
    await eventually(() => expect(readFileSync(path, "utf8")).toBe(output.stderr));
    renameSync(path, `${path}.1`);
    symlinkSync("/dev/full", path);
    process.kill("SIGHUP");
    await eventually(async () => {
      await fetch(`${url}/v1/todos`);
      expect(output.stderr).toContain(`--log-file ${path}: lines are lost`);
    });
    expect((await fetch(`${url}/v1/todos`)).status).toBe(200);
    process.kill("SIGTERM");
    expect((await exited).code).toBe(0);
  });
});

describe("OpenTelemetry traces", () => {
  it("are sent to the configured collector, and flushed at exit", async () => {
    const bodies: string[] = [];
    const collector = createServer(async (request, response) => {
      bodies.push(`${request.url} ${await text(request)}`);
      response.end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => {
      collector.closeAllConnections();
      collector.close();
    });
    await once(collector, "listening");
    const { port } = collector.address() as AddressInfo;
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
    const { process, url, exited } = await start(["--no-model"], environment);
    const response = await fetch(`${url}/api/todos`);
    const [, traceId = "no trace"] = response.headers.get("traceparent")?.split("-") ?? [];
    process.kill("SIGTERM");
    expect((await exited).code).toBe(0);
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toMatch(/^\/v1\/traces /);
    expect(bodies[0]).toContain(traceId);
  });

  it("are disabled without a collector", async () => {
    const args = ["--no-model", "--otlp-endpoint", "http://127.0.0.1:1"];
    const { process, url, exited } = await start(args);
    expect((await fetch(`${url}/api/todos`)).status).toBe(200);
    process.kill("SIGTERM");
    const { code, stderr } = await exited;
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({ level: 40, msg: "the last traces were not sent" });
  });

  it("prevent the start if the URL of the collector is invalid", async () => {
    const { code, stderr } = await run(["--no-model", "--otlp-endpoint", "collector:4317"]);
    expect(stderr).toBe(
      'ggufd: --otlp-endpoint: expected an http or https URL, got "collector:4317"\n',
    );
    expect(code).toBe(1);
  });
});

describe("ggufd top", () => {
  it("prints the table of a running daemon without a terminal", async () => {
    const { url } = await start(["--no-model"]);
    const { code, stdout, stderr } = await run(["top", url, "--interval", "0.1"]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^ggufd \\S+ at ${url}: \\S.*\nrequests .*\n\nno model\n$`));
  });

  it("reports why a server is unreachable", async () => {
    const { code, stdout, stderr } = await run(["top", "http://127.0.0.1:1", "--once"]);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^ggufd: http:\/\/127\.0\.0\.1:1 cannot be reached: /);
    expect(code).toBe(1);
  });
});
