import { describe, expect, it } from "vitest";
import { KnownDevices } from "../../src/serve/known-devices.js";

describe("the known devices", () => {
  it("once a model has found no GPU, later ones skip the search", () => {
    const devices = new KnownDevices();
    devices.note({});
    devices.note({ gpus: "unknown" });
    expect(devices.gpuOf("auto")).toBe("auto");
    devices.note({ gpus: "none" });
    devices.note({ gpus: "unknown" });
    expect(devices.gpuOf("auto")).toBe("off");
  });

  it("an explicit backend is kept even if there is no GPU", () => {
    const devices = new KnownDevices();
    devices.note({ gpus: "none" });
    expect(devices.gpuOf("vulkan")).toBe("vulkan");
  });
});
