import { availableParallelism, cpus } from "node:os";
import type { ModelSpec } from "../config/model-spec.js";
import { formatReason } from "../core/format-reason.js";
import { formatBinaryUnits } from "../core/memory-use.js";
import { type BackendProbe, probeBackend } from "../engine/devices/backend-probe.js";
import {
  type ChosenBackend,
  chooseBackend,
  describeRejectedBackend,
} from "../engine/devices/choose-backend.js";
import { inspectWorker, type WorkerDevice } from "../engine/devices/inspect-worker.js";
import { readCpuMemory } from "../engine/memory/cpu-memory.js";
import { ensureAddon } from "../engine/native/companion/compile-addon.js";
import {
  backendTitles,
  type GpuBackend,
  listPossibleBackends,
  listSupportedBackends,
} from "../engine/native/llama-backend.js";
import { buildProbedModel } from "../serve/build-engine-settings.js";
import { formatJson } from "./json-output.js";

/** Options of `ggufd devices`, in addition to the settings. */
export interface DevicesOptions {
  readonly output: "text" | "json";
}

/** Result of probing a backend; `not-tried`: there is no driver for it. */
type TriedBackend = { readonly backend: GpuBackend } & (
  | BackendProbe
  | { readonly state: "not-tried"; readonly reason: string }
);

/** Result of inspecting a worker. */
type TriedWorker = { readonly address: string } & (
  | { readonly state: "reached"; readonly devices: readonly (WorkerDevice & { name: string })[] }
  | { readonly state: "failed"; readonly reason: string }
);

/** Devices of this machine and of the configured workers. Plain data. */
export interface DevicesReport {
  readonly backends: readonly TriedBackend[];
  /** Workers of the first configured model. */
  readonly workers: readonly TriedWorker[];
  readonly cpu: {
    readonly description: string;
    readonly cores: number;
    readonly freeBytes: number;
    readonly totalBytes: number;
  };
  /** Backend that `--gpu auto` uses for the configured model. */
  readonly auto: ChosenBackend;
}

/**
 * Probes all backends that this kind of machine can have, each in a separate process.
 * @param models configured models; the first one decides which devices are suitable
 * @returns the text to print
 */
export async function runDevices(
  [firstModel]: readonly ModelSpec[],
  { output }: DevicesOptions,
): Promise<string> {
  await ensureAddon("companion", (_level, message) => process.stderr.write(`${message}\n`));
  const supported = await listSupportedBackends();
  const model = firstModel && buildProbedModel(firstModel);
  const backends = await Promise.all(
    (await listPossibleBackends()).map(async (backend): Promise<TriedBackend> => {
      if (!supported.includes(backend)) {
        return { backend, state: "not-tried", reason: "no driver or library was found" };
      }
      return { backend, ...(await probeBackend({ backend, model })) };
    }),
  );
  const auto = await chooseBackend(supported, async (backend) => {
    const tried = backends.find((one) => one.backend === backend);
    return tried === undefined || tried.state === "not-tried"
      ? probeBackend({ backend, model })
      : tried;
  });
  const workers = await inspectWorkers(firstModel?.placement.workers ?? []);
  const { freeBytes, totalCpuBytes: totalBytes } = readCpuMemory();
  const description = cpus()[0]?.model ?? "CPU";
  const cpu = { description, cores: availableParallelism(), freeBytes, totalBytes };
  const report = { backends, workers, cpu, auto };
  return output === "json" ? formatJson(report) : describeDevices(report);
}

/** Inspects workers; their devices are numbered in the order of the addresses. */
async function inspectWorkers(addresses: readonly string[]): Promise<readonly TriedWorker[]> {
  const results = await Promise.allSettled(addresses.map((address) => inspectWorker(address)));
  let number = 0;
  return results.map((result, index): TriedWorker => {
    const address = addresses[index] ?? "";
    if (result.status === "rejected") {
      return { address, state: "failed", reason: formatReason(result.reason) };
    }
    const devices = result.value.map((device) => ({ name: `RPC${number++}`, ...device }));
    return { address, state: "reached", devices };
  });
}

/** Formats the report as a table, followed by the choice of `--gpu auto`. */
export function describeDevices({ backends, workers, cpu, auto }: DevicesReport): string {
  const rows = [
    ["backend", "device", "type", "memory", "free"],
    ...backends.flatMap(buildBackendRows),
    ...workers.flatMap(buildWorkerRows),
    [
      "CPU",
      `${cpu.description}, ${cpu.cores} cores`,
      "CPU",
      formatBinaryUnits(cpu.totalBytes),
      formatBinaryUnits(cpu.freeBytes),
    ],
  ];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.filter((row) => row.length > 2).map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const deviceTitle = auto.gpu === "off" ? "the CPU" : backendTitles[auto.gpu];
  const remarks = auto.rejectedBackends.map((one) => `${describeRejectedBackend(one)}.`);
  return `${[...lines, "", `--gpu auto uses ${deviceTitle}.`, ...remarks].join("\n")}\n`;
}

function buildBackendRows(tried: TriedBackend): string[][] {
  const title = backendTitles[tried.backend];
  if (tried.state === "not-tried") return [[title, `not tried: ${tried.reason}`]];
  if (tried.state === "failed") return [[title, `failed: ${tried.reason}`]];
  if (tried.devices.length === 0) return [[title, "none"]];
  return tried.devices.map(({ name, description, memory }) => [
    title,
    `${name}: ${description}`,
    "GPU",
    formatBinaryUnits(memory.totalBytes),
    formatBinaryUnits(memory.freeBytes),
  ]);
}

function buildWorkerRows(tried: TriedWorker): string[][] {
  if (tried.state === "failed") return [["worker", `failed: ${tried.reason}`]];
  return tried.devices.map(({ name, totalBytes, freeBytes }) => [
    ...["worker", `${name}: ${tried.address}`, "remote"],
    ...[formatBinaryUnits(totalBytes), formatBinaryUnits(freeBytes)],
  ]);
}
