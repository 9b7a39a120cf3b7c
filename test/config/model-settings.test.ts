import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";

const load = (flags: Readonly<Record<string, unknown>>) =>
  loadConfig({ flags, environment: {} }).config;

describe("a model setting", () => {
  test.each<[name: string, flag: unknown, value: unknown]>([
    ["temperature", "0.7", 0.7],
    ["temperature", ".5", 0.5],
    ["topNSigma", "-1", -1],
    ["topK", "-1", -1],
    ["typicalP", "2", 2],
    ["dryBase", "0.5", 0.5],
    ["dynatempRange", "-1", -1],
    ["dryMultiplier", "1e-3", 0.001],
    ["samplers", "top_k;temp", ["top_k", "temperature"]],
    ["samplers", "Top-K,nucleus", ["top_k", "top_p"]],
    ["samplers", "edkt", ["penalties", "dry", "top_k", "temperature"]],
    ["samplers", "xtc", ["xtc"]],
    ["mirostat", "2", 2],
    ["modelTtl", "300", 300_000],
    ["modelTtl", "1h30m", 5_400_000],
    ["modelTtl", "0", 0],
    ["modelTtl", "-1", "forever"],
    ["chatTemplate", "chatml", "chatml"],
    ["chatTemplate", "{{ x }}", "{{ x }}"],
    ["chatTemplateKwargs", '{"enable_thinking":false,"a":[1]}', { enable_thinking: false, a: [1] }],
    ["chatTemplateKwargs", "{}", {}],
    ["overrideKv", ["a.b=int:-3"], [{ key: "a.b", type: "int", value: -3 }]],
    [
      "overrideKv",
      ["a=float:1e4,b=bool:true"],
      [
        { key: "a", type: "float", value: 10_000 },
        { key: "b", type: "bool", value: true },
      ],
    ],
    ["overrideKv", ["a=str:b=c:d"], [{ key: "a", type: "str", value: "b=c:d" }]],
    ["overrideKv", ["a=str:"], [{ key: "a", type: "str", value: "" }]],
    ["lora", ["/a/poet.gguf"], [{ name: "poet", path: "/a/poet.gguf", scale: 1, use: "always" }]],
    ["lora", ["p=/a.gguf"], [{ name: "p", path: "/a.gguf", scale: 1, use: "when-asked" }]],
    ["lora", ["p=/a.gguf:2"], [{ name: "p", path: "/a.gguf", scale: 2, use: "always" }]],
    ["lora", ["p=/a=b.gguf:-0.5"], [{ name: "p", path: "/a=b.gguf", scale: -0.5, use: "always" }]],
    ["lora", ["/a/b=c.gguf:2"], [{ name: "b=c", path: "/a/b=c.gguf", scale: 2, use: "always" }]],
    ["lora", ["C:\\a.gguf"], [{ path: "C:\\a.gguf", scale: 1, use: "always" }]],
    ["ropeScale", "4", 4],
    ["ropeScaling", "yarn", "yarn"],
    ["loadOnStartup", true, true],
  ])("%s accepts %j", (name, flag, value) => {
    expect(load({ [name]: flag })).toMatchObject({ [name]: value });
  });

  test.each<[name: string, flag: unknown, message: string]>([
    ["temperature", "hot", '--temperature: expected a number of at least 0, got "hot"'],
    ["temperature", "-1", "--temperature: expected a number of at least 0, got -1"],
    ["topP", "2", "--top-p: expected a number from 0 to 1, got 2"],
    ["topK", "1.5", '--top-k: expected an integer of at least -1, got "1.5"'],
    ["maxTokens", "0", "--max-tokens: expected an integer from 1"],
    ["samplers", "top_k;what", "--samplers: expected samplers, each at most once: penalties; dry"],
    ["samplers", "kk", "--samplers: expected samplers, each at most once"],
    ["samplers", "", '--samplers: expected a non-empty string, got ""'],
    ["mirostat", "3", "--mirostat: expected 0, 1 or 2, got 3"],
    [
      "modelTtl",
      "soon",
      '--model-ttl: expected a number of seconds, -1 for never, or a duration such as 5m or 1h30m, got "soon"',
    ],
    [
      "chatTemplate",
      "llama3",
      '--chat-template: expected a template in Jinja, or chatml, got "llama3"',
    ],
    [
      "overrideKv",
      ["a"],
      '--override-kv: expected KEY=TYPE:VALUE with a TYPE of int, float, bool or str, got "a"',
    ],
    ["overrideKv", ["a=int:1.5"], "--override-kv: expected KEY=TYPE:VALUE"],
    ["overrideKv", ["a=int:99999999999999999999"], "--override-kv: expected KEY=TYPE:VALUE"],
    ["overrideKv", ["a=float:"], "--override-kv: expected KEY=TYPE:VALUE"],
    ["overrideKv", ["a=bool:yes"], "--override-kv: expected KEY=TYPE:VALUE"],
    ["overrideKv", [`a=str:${"b".repeat(128)}`], "key and value of at most 127 characters"],
    [
      "chatTemplateKwargs",
      "{a:1}",
      '--chat-template-kwargs: expected a JSON object such as {"enable_thinking":false}, got "{a:1}"',
    ],
    ["chatTemplateKwargs", "[1]", "--chat-template-kwargs: expected a JSON object"],
    ["reasoningBudget", "-2", "--reasoning-budget: expected an integer from -1"],
    ["jsonSchema", "[]", '--json-schema: expected a JSON object such as {"type":"object"}, got'],
    ["grammar", "", "--grammar: expected"],
    ["lora", [""], '--lora: expected [NAME=]PATH[:SCALE], got ""'],
    ["lora", Array(33).fill("a.gguf"), "--lora: expected at most 32 entries"],
    ["ropeScale", "0", "--rope-scale: expected a number above 0, got 0"],
    [
      "ropeScaling",
      "longrope",
      '--rope-scaling: expected one of none, linear, yarn, got "longrope"',
    ],
    [
      "cacheTypeK",
      "q3_k",
      '--cache-type-k: expected one of f16, f32, bf16, q8_0, q5_1, q5_0, q4_1, q4_0, got "q3_k"',
    ],
  ])("%s rejects %j", (name, flag, message) => {
    expect(() => load({ [name]: flag })).toThrow(message);
  });

  test("is rejected if set in two forms at once, while a flag's form overrides the environment's", () => {
    expect(() => load({ ropeScale: "2", ropeFreqScale: "0.5" })).toThrow(
      "--rope-scale: expected either it or --rope-freq-scale, got both",
    );
    const environment = { GGUFD_ROPE_SCALE: "2", GGUFD_GRAMMAR: "root ::= [a-z]" };
    const flags = { ropeFreqScale: "0.5", jsonSchemaFile: "a.json" };
    const { config } = loadConfig({ flags, environment });
    expect(config).toMatchObject({ ropeScale: undefined, ropeFreqScale: 0.5 });
    expect(config).toMatchObject({ grammar: undefined, jsonSchemaFile: "a.json" });
    expect(() => load({ grammarFile: "a.gbnf", jsonSchema: "{}" })).toThrow(
      "--grammar-file: expected either it or --json-schema, got both",
    );
  });
});
