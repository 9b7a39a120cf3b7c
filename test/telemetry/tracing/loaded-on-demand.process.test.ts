import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("report-with-and-without-traces.ts", import.meta.url));

it("OpenTelemetry is loaded only if tracing is enabled", async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--import", "tsx", script]);
  expect(JSON.parse(stdout)).toEqual({ without: false, with: true });
});
