import { existsSync } from "node:fs";
import { describe } from "vitest";

/** Mesa's driver that computes on the CPU (mesa-vulkan-drivers); that of a real GPU can be named instead. */
const driver = process.env.VK_DRIVER_FILES ?? "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

/** The environment of a process that computes on the driver's first device. */
export const vulkanEnvironment = {
  VK_DRIVER_FILES: driver,
  // Says that the device may be used although it is a CPU.
  GGML_VK_VISIBLE_DEVICES: "0",
  // Rounds as the CPU does, so that answers can be compared.
  GGML_VK_DISABLE_F16: "1",
  // Mesa 22 keeps a buffer bound that llama.cpp has replaced by a larger one, and crashes at the next use.
  GGML_VK_DISABLE_FUSION: "1",
};

/**
 * Tests that need a Vulkan device. Without its driver they are skipped, which their title shows.
 */
export function describeOnVulkan(title: string, define: () => void): void {
  if (existsSync(driver)) describe(title, define);
  else describe.skip(`${title} (skipped: there is no Vulkan driver ${driver})`, define);
}
