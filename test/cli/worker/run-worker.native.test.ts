import { expect, test } from "vitest";
import { chooseOfferedDevices } from "../../../src/cli/worker/run-worker.js";

const device = (name: string, isGpu: boolean) => ({
  ...{ name, description: name, isGpu, freeBytes: 1, totalBytes: 2 },
});
const cpu = device("CPU", false);
const gpus = [device("CUDA0", true), device("CUDA1", true)];

test.each([
  ["all GPUs", [...gpus, cpu], [], ["CUDA0", "CUDA1"]],
  ["the CPU without a GPU", [cpu], [], ["CPU"]],
  ["the wanted devices in their order", [...gpus, cpu], ["CPU", "CUDA1"], ["CPU", "CUDA1"]],
])("a worker offers %s", (_, available, wanted, expected) => {
  expect(chooseOfferedDevices(available, wanted).map(({ name }) => name)).toEqual(expected);
});

test("an unknown device is rejected with the known ones", () => {
  expect(() => chooseOfferedDevices([...gpus, cpu], ["CUDA2"])).toThrow(
    '--device: expected one of: CUDA0, CUDA1, CPU; got "CUDA2"',
  );
});
