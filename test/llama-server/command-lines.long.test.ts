import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { builtDaemon } from "../support/built-daemon.js";
import { freePort } from "../support/free-port.js";
import { infillTokens, modelWithMetadata, tinyModel } from "../support/random-models.js";
import { shippedModel } from "../support/shipped-model.js";

const script = fileURLToPath(new URL("command-lines.sh", import.meta.url));

it("command lines of llama-server start ggufd, which answers", { timeout: 300_000 }, async () => {
  const models = [
    shippedModel,
    tinyModel("q8_0", "embed-tiny"),
    tinyModel("q8_0", "rerank-tiny"),
    modelWithMetadata("infill", infillTokens),
  ];
  const { status, stdout, stderr } = spawnSync(script, models, {
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      PORT: String(await freePort()),
      GGUFD: `${process.execPath} ${builtDaemon}`,
    },
  });
  expect(status, `${stdout}${stderr}`).toBe(0);
  expect(stdout).toContain("13 passed, 0 failed");
});
