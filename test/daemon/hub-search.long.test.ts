import { expect, it } from "vitest";
import type { HubSearchResult } from "../../src/api/models/hub-search.js";
import type { ModelList } from "../../src/api/models/models.js";
import { eventually } from "../support/eventually.js";
import { ggufOf } from "../support/model-sources/file-answers.js";
import { HubStandIn } from "../support/model-sources/hub.js";
import { StandIn, sendJson } from "../support/model-sources/stand-in.js";
import { SEVERAL_STARTS, start } from "./daemon.js";

const readJson = async (url: string): Promise<unknown> => (await fetch(url)).json();

const served = ["--stored-models", "serve", "--models-dir", "models", "--gpu", "off"];

it(
  "the built daemon searches the hub, and compares models with the memory of this machine",
  async () => {
    const hub = await StandIn.start(({ target }, response) =>
      sendJson(
        response,
        target.startsWith("/api/models?")
          ? [{ id: "user/repo" }]
          : {
              siblings: [
                { rfilename: "m-Q4_K_M.gguf", size: 1000 },
                { rfilename: "m-F16.gguf", size: 1e15 },
              ],
            },
      ),
    );
    const { url } = await start(served, { HF_ENDPOINT: hub.origin, HF_TOKEN_PATH: "/nowhere" });
    const found = (await readJson(`${url}/v1/models/search?query=repo`)) as HubSearchResult;
    expect(found).toMatchObject({
      hub: hub.origin,
      memory_budget: expect.any(Number),
      data: [
        {
          id: "user/repo",
          quantizations: [
            { model: "hf:user/repo:Q4_K_M", fits: true },
            { model: "hf:user/repo:F16", fits: false },
          ],
        },
      ],
    });
    expect(found.memory_budget).toBeGreaterThan(2 ** 28);
  },
  SEVERAL_STARTS,
);

it(
  "the built daemon downloads a model, and says that a hub cannot be reached",
  async () => {
    const hub = await HubStandIn.start({ files: { "m-Q4_K_M.gguf": ggufOf(5000, 1) } });
    const daemon = await start(served, hub.environment);
    const { url } = daemon;
    const body = JSON.stringify({ model: "hf:user/repo" });
    const headers = { "content-type": "application/json" };
    await fetch(`${url}/v1/models`, { method: "POST", headers, body });
    await eventually(async () => {
      const { data } = (await readJson(`${url}/v1/models`)) as ModelList;
      expect(data).toContainEqual(
        expect.objectContaining({ id: "user/repo:Q4_K_M", status: { value: "unloaded" } }),
      );
    });
    hub.api.close();
    const failed = await fetch(`${url}/v1/models/search?query=repo`);
    expect(failed.status).toBe(502);
    expect(await failed.json()).toMatchObject({ error: { code: "pull_failed" } });
    daemon.process.kill("SIGTERM");
    expect((await daemon.exited).code).toBe(0);
  },
  SEVERAL_STARTS,
);
