import { getLlama } from "node-llama-cpp";
import { expect, test } from "vitest";
import { RPC_VERSION } from "../../../../src/engine/devices/inspect-worker.js";
import { attachCompanion } from "../../../../src/engine/native/companion/attach-companion.js";
import { loadRpcAddon } from "../../../../src/engine/native/companion/native-rpc.js";

test("the addon has the version of llama.cpp's RPC that workers are inspected for", async () => {
  const llama = await getLlama({ gpu: false, build: "never", skipDownload: true });
  const rpc = loadRpcAddon(await attachCompanion(llama));
  expect({ major: rpc.protocolMajor, minor: rpc.protocolMinor }).toEqual(RPC_VERSION);
  expect(rpc.usedBytes()).toEqual([]);
  expect(() => rpc.serve(-1, 1, undefined, [])).toThrow(/descriptor: expected an integer/);
  expect(() => rpc.serve(0, 1, undefined, [{ device: "CUDA7", bytes: 1 }])).toThrow(
    "there is no device CUDA7",
  );
});
