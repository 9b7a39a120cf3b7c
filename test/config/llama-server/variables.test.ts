import { describe, expect, test } from "vitest";
import { listLlamaServerNotices } from "../../../src/config/llama-server/variables.js";
import { loadConfig } from "../../../src/config/load-config.js";

type Environment = Readonly<Record<string, string>>;

const load = (environment: Environment, flags: Readonly<Record<string, unknown>> = {}) =>
  loadConfig({ flags, environment });

describe("llama-server's environment variables", () => {
  test.each<[environment: Environment, values: object]>([
    [{ LLAMA_ARG_PORT: "81" }, { port: 81 }],
    [{ LLAMA_ARG_CTX_SIZE: "8192" }, { contextSize: 8192 }],
    [
      { LLAMA_ARG_CTX_SIZE: "8192", LLAMA_ARG_N_PARALLEL: "4" },
      { contextSize: 2048, parallel: 4 },
    ],
    [
      { LLAMA_ARG_CTX_SIZE: "8192", GGUFD_PARALLEL: "2" },
      { contextSize: 4096, parallel: 2 },
    ],
    [{ LLAMA_ARG_N_PARALLEL: "-1" }, { parallel: undefined }],
    [{ LLAMA_ARG_MODEL: "a.gguf" }, { model: "a.gguf", acceptAnyModel: true }],
    [
      { LLAMA_ARG_HF_REPO: "a/b:Q8_0", LLAMA_ARG_HF_FILE: "c.gguf" },
      { model: "hf:a/b/c.gguf", acceptAnyModel: true },
    ],
    [{ LLAMA_ARG_MODEL: "a", GGUFD_ACCEPT_ANY_MODEL: "false" }, { acceptAnyModel: false }],
    [{ LLAMA_API_KEY: "a,b" }, { apiKey: ["a", "b"] }],
    [{ LLAMA_ARG_HOST: "/run/a.sock" }, { host: ["unix:/run/a.sock"] }],
    [{ LLAMA_ARG_CPU_MOE: "on" }, { cpuMoe: "all" }],
    [{ LLAMA_ARG_CPU_MOE: "off" }, { cpuMoe: undefined }],
    [{ LLAMA_ARG_UI: "0" }, { noPage: true }],
    [{ LLAMA_ARG_NO_UI: "1" }, { noPage: true }],
    [{ LLAMA_ARG_ENDPOINT_SLOTS: "0" }, { noSlots: true }],
    [{ LLAMA_ARG_NO_ENDPOINT_SLOTS: "1" }, { noSlots: true }],
    [{ LLAMA_ARG_OFFLINE: "1" }, { offline: true }],
    [{ LLAMA_ARG_EMBEDDINGS: "1" }, { embeddings: true }],
    [{ LLAMA_ARG_EMBEDDINGS: "0" }, { embeddings: false }],
    [{ LLAMA_ARG_KV_UNIFIED: "0" }, { kvCacheLayout: "split" }],
    [{ LLAMA_ARG_NO_KV_UNIFIED: "0", LLAMA_ARG_KV_UNIFIED: "1" }, { kvCacheLayout: "split" }],
    [{ LLAMA_ARG_THREADS: "" }, { threads: "auto" }],
    [{ HF_TOKEN: "x" }, {}],
  ])("%j sets %j", (environment, values) => {
    expect(load(environment).config).toMatchObject(values);
  });

  test("yield to ggufd's flags and variables, and are reported as the source of their values", () => {
    expect(load({ LLAMA_ARG_PORT: "81", GGUFD_PORT: "82" }).config.port).toBe(82);
    expect(load({ LLAMA_ARG_PORT: "81" }, { port: "83" }).config.port).toBe(83);
    expect(load({ LLAMA_ARG_PORT: "81" }).origins.port).toBe("LLAMA_ARG_PORT");
  });

  test.each<[environment: Environment, message: string]>([
    [{ LLAMA_ARG_CONTEXT_SHIFT: "1" }, "LLAMA_ARG_CONTEXT_SHIFT: a flag of llama-server; here, a"],
    [{ LLAMA_ARG_PORT: "x" }, "LLAMA_ARG_PORT: expected an integer from 0 to 65535"],
  ])("without a counterpart or with an invalid value are rejected: %j", (environment, message) => {
    expect(() => load(environment)).toThrow(message);
  });

  test("without effect are reported", () => {
    expect(
      listLlamaServerNotices({ LLAMA_ARG_JINJA: "1", LLAMA_ARG_MODEL: "a", HF_TOKEN: "x" }),
    ).toEqual([
      "LLAMA_ARG_JINJA: a flag of llama-server without effect; here, chat templates are always rendered with Jinja",
      "LLAMA_ARG_MODEL: as in llama-server, requests for any model are answered by this one; GGUFD_ACCEPT_ANY_MODEL=false refuses unknown names",
    ]);
  });
});
