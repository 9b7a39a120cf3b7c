import assert from "node:assert/strict";
import { describe, expect, it } from "vitest";
import { buildMainModelSpec } from "../../src/config/configured-models.js";
import { loadConfig } from "../../src/config/load-config.js";
import { flagOf, type SettingName, settings } from "../../src/config/settings.js";
import { withSourceTexts } from "../../src/config/stored-spec.js";
import { SAMPLERS } from "../../src/core/samplers.js";
import {
  type SamplingDefaults,
  type SamplingRow,
  samplingDefaults,
  samplingRows,
  selectSamplingBy,
  withDefaults,
  withoutAbsent,
} from "../../src/core/sampling-table.js";
import { readRecommendedSampling } from "../../src/engine/loading/recommended-sampling.js";
import { describeSampler } from "../../src/engine/native/sampler-stages.js";
import { resolveSampling } from "../../src/engine/sampling/sampling-options.js";
import { buildEngineSettings } from "../../src/serve/build-engine-settings.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { buildTestApp } from "../support/test-app.js";

type Row = (typeof samplingRows)[number];

describe("the table of sampling parameters", () => {
  it("has llama.cpp's defaults (`common_params_sampling`) and llama-server's names", () => {
    const rows = samplingRows.map(({ name, json, flag, default: value }) => [
      json,
      flag ? flagOf(name as SettingName) : undefined,
      value,
    ]);
    expect(rows).toEqual([
      ["temperature", "--temperature", 0.8],
      ["top_k", "--top-k", 40],
      ["top_p", "--top-p", 0.95],
      ["min_p", "--min-p", 0.05],
      ["typical_p", "--typical-p", 1],
      ["top_n_sigma", "--top-n-sigma", -1],
      ["repeat_penalty", "--repeat-penalty", 1],
      ["repeat_last_n", "--repeat-last-n", 64],
      ["presence_penalty", "--presence-penalty", 0],
      ["frequency_penalty", "--frequency-penalty", 0],
      ["dry_multiplier", "--dry-multiplier", 0],
      ["dry_base", "--dry-base", 1.75],
      ["dry_allowed_length", "--dry-allowed-length", 2],
      ["dry_penalty_last_n", "--dry-penalty-last-n", 64],
      ["dry_sequence_breakers", undefined, ["\n", ":", '"', "*"]],
      ["xtc_probability", "--xtc-probability", 0],
      ["xtc_threshold", "--xtc-threshold", 0.1],
      ["dynatemp_range", "--dynatemp-range", 0],
      ["dynatemp_exponent", "--dynatemp-exp", 1],
      ["mirostat", "--mirostat", 0],
      ["mirostat_tau", "--mirostat-ent", 5],
      ["mirostat_eta", "--mirostat-lr", 0.1],
      ["adaptive_target", "--adaptive-target", -1],
      ["adaptive_decay", "--adaptive-decay", 0.9],
      ["min_keep", undefined, 0],
      ["samplers", "--samplers", [...SAMPLERS]],
    ]);
  });

  it.each(samplingRows)("$name is a setting if it has a flag", ({ name, flag }) => {
    expect(name in settings).toBe(flag);
  });

  it.each(samplingRows)("$name has a default within its bounds", (row) => {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = row;
    for (const value of typeof row.default === "number" ? [row.default] : []) {
      expect(value).toBeGreaterThanOrEqual(min);
      expect(value).toBeLessThanOrEqual(max);
    }
  });
});

/** A value within the bounds of all interfaces, and different from the default. */
function sampleOf(row: SamplingRow): unknown {
  const value = {
    number: () => numberOf(row),
    integer: () => Math.max(row.min ?? 0, 0) + 3,
    window: () => 7,
    mirostat: () => 2,
    samplers: () => ["top_k", "temperature"],
    breakers: () => ["stop"],
  }[row.kind]();
  assert.notDeepEqual(value, row.default);
  return value;
}

const DIGITS = 4;

function numberOf({ min = 0, max = min + 1, maxInRequests = max }: SamplingRow): number {
  return Number((min + 0.75 * (maxInRequests - min)).toPrecision(DIGITS));
}

/** Value in the notation of flags and model files. */
const textOf = (value: unknown) => (Array.isArray(value) ? value.join(";") : String(value));

/** Sampling options that the engine receives for a request. */
async function requested(url: string, fields: object) {
  const engine = new ScriptedEngine(() => ({ parts: ["ok"] }));
  const { app } = buildTestApp(engine);
  const messages = [{ role: "user", content: "Hi" }];
  const payload = { model: "scripted", messages, stream: false, ...fields };
  const response = await app.inject({ method: "POST", url, payload });
  expect(response.statusCode, response.body).toBe(200);
  return withoutAbsent(engine.requests[0]?.sampling ?? {});
}

function configured(flags: Readonly<Record<string, unknown>>) {
  const { config } = loadConfig({ flags: { model: "/m.gguf", ...flags }, environment: {} });
  return buildMainModelSpec(config);
}

describe("a sampling parameter", () => {
  const named = (column: "json" | "jsonAlias" | "ollama" | "gguf") =>
    samplingRows.flatMap((row): [key: string, row: Row][] => {
      const key = row[column];
      return key === undefined ? [] : [[key, row]];
    });

  it.each([...named("json"), ...named("jsonAlias")])(
    "is set by the JSON field %s",
    async (key, row) => {
      const value = sampleOf(row);
      const sampling = await requested("/v1/chat/completions", { [key]: value });
      expect(sampling).toEqual({ [row.name]: value });
    },
  );

  it.each(named("jsonAlias"))(
    "is set by the JSON field %s in preference to its primary name",
    async (key, row) => {
      const fields = { [key]: sampleOf(row), [row.json]: row.default };
      const sampling = await requested("/v1/chat/completions", fields);
      expect(sampling).toEqual({ [row.name]: sampleOf(row) });
    },
  );

  it.each(named("ollama"))("is set by Ollama's option %s", async (key, row) => {
    const value = sampleOf(row);
    const sampling = await requested("/api/chat", { options: { [key]: value } });
    expect(sampling).toEqual({ [row.name]: value });
  });

  it.each(named("ollama"))("is set by the parameter %s of an Ollama model", (key, row) => {
    const value = sampleOf(row);
    const spec = withSourceTexts(configured({}), {
      system: undefined,
      parameters: { [key]: value },
    });
    expect(buildEngineSettings(spec).defaults.sampling).toEqual({ [row.name]: value });
  });

  it.each(samplingRows.filter(({ flag }) => flag))("is set by the flag of $name", (row) => {
    const value = sampleOf(row);
    const spec = configured({ [row.name]: textOf(value) });
    expect(buildEngineSettings(spec).defaults.sampling).toEqual({ [row.name]: value });
  });

  it.each(named("gguf"))("is set by general.sampling.%s of a GGUF file", (key, row) => {
    const value = sampleOf(row);
    const written = row.kind === "samplers" ? textOf(value) : value;
    expect(readRecommendedSampling({ [key]: written })).toEqual({ [row.name]: value });
  });

  it.each(samplingRows)("$name is shown by its JSON name", (row) => {
    const value = sampleOf(row);
    expect(selectSamplingBy("json", { [row.name]: value })).toEqual({ [row.json]: value });
  });
});

it("explicit values override defaults individually", () => {
  const said = { topK: 3, minP: undefined, temperature: 0 };
  expect(withDefaults(said, { minP: 0.1, temperature: 1, topP: 0.5 })).toEqual({
    topK: 3,
    minP: 0.1,
    temperature: 0,
    topP: 0.5,
  });
});

describe("the default sampling parameters", () => {
  const stagesOf = (sampling: SamplingDefaults) => {
    const options = resolveSampling({
      sampling,
      stopping: { minTokens: 0, stop: [], ignoreEos: false },
      defaults: {},
      endOfGeneration: new Set(),
      fallbackSeed: 5,
      breakersIn: () => new Map(),
    });
    const context = { options, promptTokens: [1, 2], generated: [] };
    return describeSampler(context, { maxTokens: 100, vocabulary: 512 }).stages;
  };

  it.each<SamplingDefaults>([{}, samplingDefaults])(
    "result in only the native stages of llama.cpp's defaults",
    (sampling) => {
      expect(stagesOf(sampling)).toEqual([
        { type: "top-k", k: 40 },
        { type: "top-p", p: 0.95, minKeep: 0 },
        { type: "min-p", p: 0.05, minKeep: 0 },
        { type: "temperature", temperature: 0.8, range: 0, exponent: 1 },
        { type: "distribution", seed: 5 },
      ]);
    },
  );
});
