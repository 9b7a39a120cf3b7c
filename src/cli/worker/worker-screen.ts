import { formatBinaryUnits } from "../../core/memory-use.js";
import type { OfferableDevice } from "../../process/worker-protocol.js";
import { version } from "../../version.js";
import type { WorkerArguments } from "./worker-options.js";

interface WorkerScreen extends Pick<WorkerArguments, "memoryGiB" | "cacheDir" | "network"> {
  /** Address that the worker listens on, with its port. */
  readonly address: string;
  readonly devices: readonly OfferableDevice[];
}

/** Formats the summary printed once a worker listens: its devices, address and cache. */
export function formatWorkerScreen({
  address,
  devices,
  memoryGiB,
  cacheDir,
  network,
}: WorkerScreen): string {
  const limit = memoryGiB === undefined ? "" : `, at most ${memoryGiB} GiB offered`;
  const rows = [
    ...devices.map(({ name, description, freeBytes, totalBytes }) => [
      name,
      `${description}, ${formatBinaryUnits(freeBytes)} of ${formatBinaryUnits(totalBytes)} free${limit}`,
    ]),
    ["address", address],
    ["cache", cacheDir],
  ];
  const lines = [
    `ggufd ${version} worker`,
    "",
    ...rows.map(([label = "", value = ""]) => `  ${label.padEnd(10)}${value}`),
    "",
    "On the machine with the model: ggufd MODEL --rpc HOST:PORT",
    ...(network === "any"
      ? ["Anyone who can reach this address can use the devices: the connection is not protected."]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}
