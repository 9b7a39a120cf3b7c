import { describe, expect, it } from "vitest";
import { KnownDevices } from "../../src/serve/known-devices.js";

describe("GPU detection", () => {
  it("is skipped for later models once a model has found no GPU", () => {
    const devices = new KnownDevices();
    devices.note({});
    devices.note({ gpus: "unknown" });
    expect(devices.gpuOf("auto")).toBe("auto");
    devices.note({ gpus: "none" });
    devices.note({ gpus: "unknown" });
    expect(devices.gpuOf("auto")).toBe("off");
  });

  it("does not override an explicitly configured backend", () => {
    const devices = new KnownDevices();
    devices.note({ gpus: "none" });
    expect(devices.gpuOf("vulkan")).toBe("vulkan");
  });
});
