import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { describeOnVulkan, vulkanEnvironment } from "../support/vulkan-driver.js";
import { run, start, temporaryFolder } from "./daemon.js";
import { beginStream, chat, engineOf, readinessOf } from "./engine-of.js";

const flags = ["--gpu", "vulkan", "--model", tinyModel(), "--alias", "tiny", "--parallel", "1"];

describeOnVulkan("a daemon on a GPU", () => {
  it("reports the GPU, calibrates no CPU threads, and serves again after an engine crash", async () => {
    const cache = temporaryFolder();
    const environment = { ...vulkanEnvironment, XDG_CACHE_HOME: cache };
    const daemon = await start([...flags, "--context-size", "50000"], environment);
    const { url, output } = daemon;
    expect(output.stdout).toMatch(/^ {2}device +Vulkan \(.+\), [1-4] threads?$/m);
    // Thread measurements would be stored here.
    expect(existsSync(join(cache, "ggufd"))).toBe(false);

    const { text } = await beginStream(url);
    const lost = engineOf(daemon);
    // Simulates a failed assertion of a driver.
    process.kill(lost, "SIGABRT");
    expect((await text).match(/"error":/g)).toHaveLength(1);
    await eventually(async () => expect((await readinessOf(url)).status).toBe(200));
    expect(engineOf(daemon)).not.toBe(lost);
    const answer = await chat(url, { max_tokens: 3, ignore_eos: true });
    expect(await answer.json()).toMatchObject({ usage: { completion_tokens: 3 } });
    expect(output.stderr.match(/process exited \(SIGABRT/g)).toHaveLength(1);
    // Two starts, each of which compiles shaders on the CPU.
  }, 600_000);

  it("exits with a one-line error when llama.cpp fails on the device", async () => {
    // Less memory than the cache requires, which makes an assertion of llama.cpp fail.
    const bytes = "1000000";
    const small = {
      ...vulkanEnvironment,
      GGML_VK_FORCE_MAX_BUFFER_SIZE: bytes,
      GGML_VK_FORCE_MAX_ALLOCATION_SIZE: bytes,
    };
    const { code, stderr } = await run([...flags, "--context-size", "50000"], small);
    expect(stderr).toMatch(
      /^ggufd: model .*: the device does not support a tensor of this size .*\(Vulkan0\).*\n$/,
    );
    expect(code).toBe(1);
  });
});
