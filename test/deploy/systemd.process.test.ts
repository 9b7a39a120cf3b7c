import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { environmentVariableOf, settingNames, settings } from "../../src/config/settings.js";

const pathOf = (name: string) =>
  fileURLToPath(new URL(`../../deploy/systemd/${name}`, import.meta.url));
const unit = readFileSync(pathOf("ggufd.service"), "utf8");
const gpu = readFileSync(pathOf("gpu.conf"), "utf8");

/** Values of a directive, in order. */
function valuesOf(text: string, directive: string): string[] {
  return [...text.matchAll(new RegExp(`^${directive}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

/** Seconds of a time span such as `45s` or `10min`. */
function secondsOf(span: string | undefined): number {
  const [, value, unitOfTime] = /^(\d+)(s|min)$/.exec(span ?? "") ?? [];
  return Number(value) * (unitOfTime === "min" ? 60 : 1);
}

describe("the systemd unit", () => {
  it("gives the daemon time to drain, also with a GPU", () => {
    const drainSeconds = settings.drainTimeout.schema.parse(undefined);
    const [stop] = valuesOf(unit, "TimeoutStopSec");
    expect(secondsOf(stop)).toBeGreaterThanOrEqual(drainSeconds + 15);
    const [drainWithGpu] = gpu.match(/(?<=GGUFD_DRAIN_TIMEOUT=)\d+/) ?? [];
    const [stopWithGpu] = valuesOf(gpu, "TimeoutStopSec");
    expect(secondsOf(stopWithGpu)).toBeGreaterThanOrEqual(Number(drainWithGpu) + 15);
  });

  it("does not stop the daemon when an engine is killed, and restarts the daemon after a failure", () => {
    expect(valuesOf(unit, "KillMode")).toEqual(["mixed"]);
    expect(valuesOf(unit, "OOMPolicy")).toEqual(["continue"]);
    expect(valuesOf(unit, "Restart")).toEqual(["on-failure"]);
  });

  it("sets existing settings to valid values", () => {
    const known = new Map(settingNames.map((name) => [environmentVariableOf(name), name]));
    const set = [...`${unit}${gpu}`.matchAll(/^Environment=(GGUFD_\w+)=(.*)$/gm)];
    expect(set.length).toBeGreaterThan(0);
    for (const [, variable = "", value = ""] of set) {
      const name = known.get(variable);
      expect(name, variable).toBeDefined();
      if (name === undefined) continue;
      const typed = settings[name].form === "integer" ? Number(value) : value;
      expect(settings[name].schema.safeParse(typed).success, variable).toBe(true);
    }
  });

  it("stores the daemon's state in writable folders", () => {
    expect(valuesOf(unit, "ProtectSystem")).toEqual(["strict"]);
    expect(valuesOf(unit, "StateDirectory")).toEqual(["ggufd"]);
    expect(unit).toContain("Environment=GGUFD_TODOS=/var/lib/ggufd/");
    expect(unit).toContain("Environment=XDG_CACHE_HOME=/var/cache/ggufd");
  });

  it("allows the process that prepares prompts to lower its priority", () => {
    expect(valuesOf(unit, "SystemCallFilter")).toEqual([
      "@system-service",
      "~@privileged @resources",
      "setpriority",
    ]);
  });

  const analysis = spawnSync(
    "systemd-analyze",
    ["security", "--offline=true", "--threshold=15", pathOf("ggufd.service")],
    { encoding: "utf8" },
  );
  it.runIf(analysis.error === undefined)(
    "has an exposure level of at most 1.5 according to systemd-analyze",
    () => {
      expect(analysis.status, analysis.stdout.slice(-100)).toBe(0);
    },
  );
});
