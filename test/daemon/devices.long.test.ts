import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { tinyModel } from "../support/random-models.js";
import { run, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";

/** The Vulkan driver in Debian's mesa-vulkan-drivers that computes on the CPU. */
const SOFTWARE_DRIVER = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
const hasDriver = existsSync(SOFTWARE_DRIVER);
const withoutDriver = { VK_DRIVER_FILES: "/nowhere.json" };
const withoutDevice = { VK_DRIVER_FILES: SOFTWARE_DRIVER };
/** llama.cpp only uses a driver that computes on the CPU if it is configured explicitly. */
const withSoftwareDevice = { VK_DRIVER_FILES: SOFTWARE_DRIVER, GGML_VK_VISIBLE_DEVICES: "0" };

describe.skipIf(!hasDriver)(
  "a Vulkan loader without a GPU (mesa-vulkan-drivers)",
  { timeout: SEVERAL_STARTS },
  () => {
    it("runs the model on the CPU and explains it on the start screen", async () => {
      const { output, url } = await start(
        ["--threads", "1", "--model", tinyModel()],
        withoutDevice,
      );
      expect(output.stdout).toMatch(
        /^ {2}device +CPU, 1 thread\n {12}Vulkan is not used: it found no GPU/m,
      );
      expect((await fetch(`${url}/health`)).status).toBe(200);
    });

    it("plans for the CPU if there is no driver", async () => {
      const { stdout } = await run(["plan", "--model", tinyModel()], withoutDriver);
      expect(stdout).toMatch(
        /^Vulkan is not used: it needs a GPU with a Vulkan driver.*\n\n.* on CPU,/,
      );
    });

    it("is listed as having no devices", async () => {
      const { code, stdout } = await run(["devices"], withoutDevice);
      expect(stdout).toMatch(/^Vulkan +none$/m);
      expect(stdout).toContain("--gpu auto uses the CPU.\nVulkan is not used: it found no GPU");
      expect(code).toBe(0);
    });

    it("rejects --gpu vulkan", async () => {
      const { code, stderr } = await run(["--gpu", "vulkan"], withoutDevice);
      expect(stderr).toMatch(
        /^ggufd: --gpu vulkan is not available: .*it found no GPU.*"ggufd devices" lists the available devices\n$/,
      );
      expect(code).toBe(1);
    });
  },
);

describe.skipIf(!hasDriver)(
  "a Vulkan device (mesa-vulkan-drivers)",
  { timeout: SEVERAL_STARTS },
  () => {
    it("is listed with its memory and used", async () => {
      const { stdout } = await run(
        ["devices", "--json", "--model", tinyModel()],
        withSoftwareDevice,
      );
      const { backends, auto } = JSON.parse(stdout);
      expect(backends).toContainEqual({
        backend: "vulkan",
        state: "loaded",
        devices: [
          {
            name: "Vulkan0",
            description: expect.stringContaining("llvmpipe"),
            memory: { freeBytes: expect.any(Number), totalBytes: expect.any(Number) },
          },
        ],
      });
      expect(auto.gpu).toBe("vulkan");
    });

    it("is not used for a model of which no layer fits", async () => {
      const flags = ["--model", tinyModel(), "--parallel", "256", "--context-size", "1000000"];
      const { stdout } = await run(["plan", ...flags], withSoftwareDevice);
      expect(stdout).toMatch(
        /^Vulkan is not used: no layer of the model fits into its .* of free memory\.\n\n.* on CPU,/,
      );
    });

    it("is used if the number of GPU layers is set", async () => {
      const flags = ["--model", tinyModel(), "--parallel", "256", "--context-size", "1000000"];
      const { stdout } = await run(["plan", ...flags, "--gpu-layers", "1"], withSoftwareDevice);
      expect(stdout).toMatch(/ on Vulkan \(.*\n.*It does not fit: .* on the GPU/s);
    });
  },
);

describe.skipIf(!hasDriver)(
  "two Vulkan devices (mesa-vulkan-drivers)",
  { timeout: SEVERAL_STARTS },
  () => {
    it("both count in the memory plan, including the draft model's, unless --device selects one", async () => {
      const twice = { ...withSoftwareDevice, GGML_VK_VISIBLE_DEVICES: "0,0" };
      const planWith = async (...flags: string[]) => {
        const models = ["--model", tinyModel(), "--draft-model", tinyModel()];
        const { stdout } = await run(
          ["plan", "--json", "--gpu", "vulkan", ...models, ...flags],
          twice,
        );
        const { memory, draft } = JSON.parse(stdout).models[0].plan;
        return { freeBytes: memory.free.gpuBytes, bufferBytes: draft.buffers.gpuBytes };
      };
      const [both, one] = await Promise.all([planWith(), planWith("--device", "Vulkan1")]);
      expect(both.freeBytes).toBe(2 * one.freeBytes);
      // Each device has separate buffers.
      expect(both.bufferBytes).toBeGreaterThan(one.bufferBytes);
    });
  },
);

test("a CUDA library that fails to load is reported, and the CPU is used", {
  timeout: SEVERAL_STARTS,
}, async () => {
  // Files that node-llama-cpp recognises as a driver and its run-time libraries.
  const folder = temporaryFolder();
  for (const library of ["nvidia-ml", "cuda", "cudart", "cublas", "cublasLt"]) {
    writeFileSync(join(folder, `lib${library}.so`), "");
  }
  const environment = { ...withoutDriver, LD_LIBRARY_PATH: folder };
  const { stdout } = await run(["devices"], environment);
  expect(stdout).toMatch(/^CUDA +failed: .*cuda.* not installed$/m);
  expect(stdout).toContain("--gpu auto uses the CPU.\nCUDA is not used: ");
  const { code, stderr } = await run(["--gpu", "cuda"], environment);
  expect(stderr).toMatch(/^ggufd: --gpu cuda is not available: .*not installed\n$/);
  expect(code).toBe(1);
});
