import { describe, expect, it, test, vi } from "vitest";
import type { BackendProbe } from "../../../src/engine/devices/backend-probe.js";
import {
  chooseBackend,
  describeRejectedBackend,
  findDeviceObstacle,
  foundNoGpu,
} from "../../../src/engine/devices/choose-backend.js";
import type { BackendChoice, GpuBackend } from "../../../src/engine/native/llama-backend.js";

const device = { name: "X0", description: "A10", memory: { freeBytes: 2, totalBytes: 3 } };
const useful: BackendProbe = { state: "loaded", devices: [device] };
const empty: BackendProbe = { state: "loaded", devices: [] };
const small: BackendProbe = { state: "loaded", devices: [device], obstacle: "it is small" };
const failed: BackendProbe = { state: "failed", reason: "libcudart.so is missing" };

type Probes = Partial<Record<GpuBackend, BackendProbe>>;

/** `vulkan; CUDA is not used: …` */
async function chosen(candidates: readonly BackendChoice[], probes: Probes): Promise<string> {
  const { gpu, rejectedBackends } = await chooseBackend(
    candidates,
    async (backend) => probes[backend] ?? failed,
  );
  return [gpu, ...rejectedBackends.map(describeRejectedBackend)].join("; ");
}

const all = ["cuda", "vulkan", "off"] as const;

describe("--gpu auto", () => {
  test.each<[string, readonly BackendChoice[], Probes, string]>([
    ["chooses the best backend that has a device", all, { cuda: useful, vulkan: useful }, "cuda"],
    [
      "skips a backend without a device",
      all,
      { cuda: empty, vulkan: useful },
      "vulkan; CUDA is not used: it found no NVIDIA GPU",
    ],
    [
      "skips a library that cannot be loaded",
      all,
      { cuda: failed, vulkan: useful },
      "vulkan; CUDA is not used: libcudart.so is missing",
    ],
    [
      "skips a device that is too small for the model",
      all,
      { cuda: small, vulkan: useful },
      "vulkan; CUDA is not used: it is small",
    ],
    [
      "chooses the CPU if no GPU is usable",
      all,
      { cuda: failed, vulkan: empty },
      "off; CUDA is not used: libcudart.so is missing; Vulkan is not used: it found no GPU (drivers that compute on the CPU do not count)",
    ],
    ["chooses the last backend if there is no library for the CPU", ["metal"], {}, "metal"],
  ])("%s", async (_, candidates, probes, expected) => {
    expect(await chosen(candidates, probes)).toBe(expected);
  });

  it("probes no backend if there is only a CPU, and none after a usable one", async () => {
    const probe = vi.fn(async () => useful);
    await chooseBackend(["off"], probe);
    expect(probe).not.toHaveBeenCalled();
    await chooseBackend(all, probe);
    expect(probe).toHaveBeenCalledExactlyOnceWith("cuda");
  });
});

describe("a GPU", () => {
  const free = { cpuBytes: 0, gpuBytes: 20 * 2 ** 20 };

  it("is not used for a model of which no layer fits", () => {
    expect(findDeviceObstacle({ gpuLayers: "auto" }, { gpuLayers: 0 }, { free })).toBe(
      "no layer of the model fits into its 20 MiB of free memory",
    );
    expect(findDeviceObstacle({ gpuLayers: "auto" }, { gpuLayers: 1 }, { free })).toBeUndefined();
  });

  it("is used if the number of layers is set", () => {
    expect(findDeviceObstacle({ gpuLayers: 0 }, { gpuLayers: 0 }, { free })).toBeUndefined();
  });
});

describe("the absence of a GPU", () => {
  test.each<[string, Probes, boolean]>([
    ["is certain if no backend found one", { cuda: empty, vulkan: empty }, true],
    ["is uncertain if a library could not be loaded", { cuda: failed, vulkan: empty }, false],
    ["is refuted by a GPU that is too small for the model", { cuda: empty, vulkan: small }, false],
  ])("%s", async (_, probes, expected) => {
    const { rejectedBackends } = await chooseBackend(
      all,
      async (backend) => probes[backend] ?? failed,
    );
    expect(foundNoGpu(rejectedBackends)).toBe(expected);
  });

  test("is uncertain if no backend was probed", () => {
    expect(foundNoGpu([])).toBe(false);
  });
});
