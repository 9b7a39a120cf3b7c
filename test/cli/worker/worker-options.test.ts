import { Command } from "commander";
import { describe, expect, test, vi } from "vitest";
import {
  addWorkerCommand,
  parseListen,
  type WorkerArguments,
} from "../../../src/cli/worker/worker-options.js";
import { formatWorkerScreen } from "../../../src/cli/worker/worker-screen.js";

async function parse(...args: readonly string[]): Promise<WorkerArguments | undefined> {
  const worker = vi.fn(async (_options: WorkerArguments) => {});
  const program = new Command("ggufd").exitOverride().configureOutput({ writeErr: () => {} });
  addWorkerCommand(program, worker);
  await program.parseAsync(["worker", ...args], { from: "user" });
  return worker.mock.lastCall?.[0];
}

describe("the options of a worker", () => {
  test("default to all free memory of the GPUs, on a loopback address", async () => {
    vi.stubEnv("XDG_CACHE_HOME", "/cache");
    expect(await parse()).toEqual({
      ...{ listen: "127.0.0.1:50052", gpu: "auto", devices: [], cacheDir: "/cache/ggufd/rpc" },
      ...{ memoryGiB: undefined, threads: undefined, network: "loopback-only" },
    });
    vi.unstubAllEnvs();
  });

  test("are passed on", async () => {
    expect(
      await parse(
        ...["--listen", "0.0.0.0:1", "--insecure-network", "--gpu", "cuda", "--memory", "7.5"],
        ...["--device", "CUDA0,CUDA1", "--device", "CPU", "--threads", "3", "--cache-dir", "none"],
      ),
    ).toEqual({
      ...{ listen: "0.0.0.0:1", gpu: "cuda", devices: ["CUDA0", "CUDA1", "CPU"] },
      ...{ cacheDir: "none", memoryGiB: 7.5, threads: 3, network: "any" },
    });
  });

  test.each([
    [["--memory", "0"], /--memory: expected a number of GiB above 0, got "0"/],
    [["--threads", "1.5"], /--threads: expected an integer of at least 1, got "1.5"/],
    [["--gpu", "tpu"], /--gpu.*Allowed choices are auto, cuda, vulkan, metal, off/],
  ])("are rejected: %j", async (args, reason) => {
    await expect(parse(...args)).rejects.toThrow(reason);
  });
});

describe("the address of a worker", () => {
  test.each(["127.0.0.1:50052", "127.8.0.1", "[::1]:7", "localhost:7"])(
    "may be a loopback address: %s",
    (text) => {
      expect(parseListen(text, "loopback-only")).toMatchObject({ port: expect.any(Number) });
    },
  );

  test.each(["0.0.0.0:50052", "10.0.0.2", "[::]:7", "[fd00::1]:7", "192.168.1.2:1"])(
    "that other machines can reach needs --insecure-network: %s",
    (text) => {
      expect(() => parseListen(text, "loopback-only")).toThrow(
        /expected a loopback address .* neither authentication nor encryption; .*--insecure-network .*docs\/cluster\.md/,
      );
      expect(parseListen(text, "any")).toMatchObject({ port: expect.any(Number) });
    },
  );

  test.each(["", "gpu-box:1", "::1", "127.0.0.1:99999", "unix:/run/w"])(
    "is rejected with the expected form: %j",
    (text) => {
      expect(() => parseListen(text, "any")).toThrow(
        `--listen: expected ADDRESS[:PORT] with an IP address, e.g. 127.0.0.1:50052, got ${JSON.stringify(text)}`,
      );
    },
  );
});

test("a worker prints its devices, its address and its cache", () => {
  const device = { name: "CPU", description: "EPYC", isGpu: false };
  const memory = { freeBytes: 20 * 2 ** 30, totalBytes: 32 * 2 ** 30 };
  const screen = { address: "127.0.0.1:50052", devices: [{ ...device, ...memory }] };
  const local = formatWorkerScreen({
    ...{ ...screen, memoryGiB: undefined, cacheDir: "/cache", network: "loopback-only" },
  });
  expect(local).toMatch(/^ggufd \S+ worker\n/);
  expect(local).toContain(`
  CPU       EPYC, 20.0 GiB of 32.0 GiB free
  address   127.0.0.1:50052
  cache     /cache

On the machine with the model: ggufd MODEL --rpc HOST:PORT
`);
  const open = formatWorkerScreen({
    ...{ ...screen, memoryGiB: 7.5, cacheDir: "none", network: "any" },
  });
  expect(open).toContain("20.0 GiB of 32.0 GiB free, at most 7.5 GiB offered\n");
  expect(open).toContain("Anyone who can reach this address can use the devices");
});
