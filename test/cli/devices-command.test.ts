import { expect, test } from "vitest";
import { describeDevices } from "../../src/cli/devices-command.js";

const GiB = 2 ** 30;
const cpu = { description: "EPYC", cores: 8, freeBytes: 20 * GiB, totalBytes: 32 * GiB };

test("devices are listed with their memory, starting with the devices that auto uses", () => {
  const text = describeDevices({
    backends: [
      { backend: "cuda", state: "failed", reason: "libcudart.so.13 is not installed" },
      {
        backend: "vulkan",
        state: "loaded",
        devices: [
          {
            name: "Vulkan0",
            description: "Radeon",
            memory: { freeBytes: 7 * GiB, totalBytes: 8 * GiB },
          },
          {
            name: "Vulkan1",
            description: "Arc",
            memory: { freeBytes: 5 * GiB, totalBytes: 16 * GiB },
          },
        ],
      },
    ],
    workers: [
      {
        address: "10.0.0.2:50052",
        state: "reached",
        devices: [{ name: "RPC0", freeBytes: 3 * GiB, totalBytes: 4 * GiB }],
      },
      { address: "10.0.0.3:50052", state: "failed", reason: "--rpc 10.0.0.3:50052: no answer" },
    ],
    cpu,
    auto: {
      gpu: "vulkan",
      rejectedBackends: [
        { backend: "cuda", reason: "libcudart.so.13 is not installed", lacks: "other" },
      ],
    },
  });
  expect(text).toBe(`\
backend  device                type    memory    free
CUDA     failed: libcudart.so.13 is not installed
Vulkan   Vulkan0: Radeon       GPU     8.0 GiB   7.0 GiB
Vulkan   Vulkan1: Arc          GPU     16.0 GiB  5.0 GiB
worker   RPC0: 10.0.0.2:50052  remote  4.0 GiB   3.0 GiB
worker   failed: --rpc 10.0.0.3:50052: no answer
CPU      EPYC, 8 cores         CPU     32.0 GiB  20.0 GiB

--gpu auto uses Vulkan.
CUDA is not used: libcudart.so.13 is not installed.
`);
});

test("a machine without GPUs lists the CPU only", () => {
  const text = describeDevices({
    backends: [
      { backend: "cuda", state: "not-tried", reason: "no driver" },
      { backend: "vulkan", state: "loaded", devices: [] },
    ],
    workers: [],
    cpu,
    auto: { gpu: "off", rejectedBackends: [] },
  });
  expect(text).toBe(`\
backend  device         type  memory    free
CUDA     not tried: no driver
Vulkan   none
CPU      EPYC, 8 cores  CPU   32.0 GiB  20.0 GiB

--gpu auto uses the CPU.
`);
});
