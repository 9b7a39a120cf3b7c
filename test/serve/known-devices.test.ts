import { describe, expect, it } from "vitest";
import { KnownDevices } from "../../src/serve/known-devices.js";

describe("what is known of the devices", () => {
  it("once a model has found no GPU, none is looked for", () => {
    const devices = new KnownDevices();
    devices.note({});
    devices.note({ gpus: "unknown" });
    expect(devices.gpuOf("auto")).toBe("auto");
    devices.note({ gpus: "none" });
    devices.note({ gpus: "unknown" });
    expect(devices.gpuOf("auto")).toBe("off");
  });

  it("who asks for a GPU is told that there is none", () => {
    const devices = new KnownDevices();
    devices.note({ gpus: "none" });
    expect(devices.gpuOf("vulkan")).toBe("vulkan");
  });
});
