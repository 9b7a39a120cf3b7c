/** Entry point of the process of a worker that serves one client, on an inherited socket. */

import { formatReason } from "../core/format-reason.js";
import { readCpuMemory } from "../engine/memory/cpu-memory.js";
import { attachCompanion } from "../engine/native/companion/attach-companion.js";
import { loadRpcAddon, type MemoryOffer } from "../engine/native/companion/native-rpc.js";
import { type BackendChoice, loadBackend } from "../engine/native/llama-backend.js";
import { SHARED_DESCRIPTOR } from "./process-channel.js";
import { setUpChild } from "./set-up-child.js";
import type { FromWorkerProcess, OfferableDevice, ToWorkerProcess } from "./worker-protocol.js";

/** Interval at which the memory of the client's buffers is reported if it has changed. */
const REPORT_INTERVAL_MS = 1000;

const send: (report: FromWorkerProcess) => void = setUpChild("ggufd worker");

process.on("message", (request: ToWorkerProcess) => {
  carryOut(request).then(send, (error: unknown) =>
    send({ type: "failed", reason: formatReason(error) }),
  );
});

async function carryOut(request: ToWorkerProcess): Promise<FromWorkerProcess> {
  if (request.type === "list-devices") {
    return { type: "devices", devices: await listDevices(request.gpu) };
  }
  const { offer, limits } = request;
  const { companion, devices } = await openDevices(offer.gpu);
  const rpc = loadRpcAddon(companion);
  const offers = offer.devices.map((name, index): MemoryOffer => {
    const isGpu = devices.some((one) => one.name === name && one.isGpu);
    return { device: name, bytes: limitMemory(limits[index], isGpu) };
  });
  const served = rpc.serve(SHARED_DESCRIPTOR, offer.threads, offer.cacheFolder, offers);
  let reportedBytes = offers.map(() => 0);
  setInterval(() => {
    const bytes = [...rpc.usedBytes()];
    if (bytes.every((value, index) => value === reportedBytes[index])) return;
    reportedBytes = bytes;
    send({ type: "used", bytes });
  }, REPORT_INTERVAL_MS);
  await served;
  return { type: "disconnected" };
}

/** Limits main memory to what is free, because ggml reports the whole memory of the machine. */
function limitMemory(limit: number | undefined, isGpu: boolean): number | undefined {
  return isGpu ? limit : Math.min(limit ?? Number.POSITIVE_INFINITY, readCpuMemory().freeBytes);
}

async function listDevices(gpu: BackendChoice): Promise<readonly OfferableDevice[]> {
  const { devices } = await openDevices(gpu);
  const { freeBytes, totalCpuBytes } = readCpuMemory();
  return devices.map(({ name, description, isGpu, ...memory }) => ({
    ...{ name, description, isGpu },
    freeBytes: isGpu ? memory.freeBytes : freeBytes,
    totalBytes: isGpu ? memory.totalBytes : totalCpuBytes,
  }));
}

async function openDevices(gpu: BackendChoice) {
  const llama = await loadBackend({
    gpu,
    log: (level, message) => send({ type: "log", level, message }),
  });
  const companion = await attachCompanion(llama);
  return { companion, devices: companion.devices() };
}
