import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { buildConfiguredModels, buildModelSpecs } from "../../src/config/configured-models.js";
import { loadConfig } from "../../src/config/load-config.js";
import type { GenerationModelSpec } from "../../src/config/model-spec.js";
import { configFolder } from "../support/config-file.js";

const { fileWith, folderPath, missingFile } = configFolder();

type Flags = Readonly<Record<string, unknown>>;

const load = (content: string, flags: Flags = {}, environment: NodeJS.ProcessEnv = {}) =>
  loadConfig({ flags: { modelsPreset: fileWith("models.yaml", content), ...flags }, environment });

const specsOf = (...sources: Parameters<typeof load>) => buildModelSpecs(load(...sources).config);

function rejection(content: string, flags: Flags = {}): string {
  try {
    load(content, flags);
  } catch (error) {
    return String(error).replaceAll(folderPath, "");
  }
  throw new Error("it is accepted");
}

const TWO = `
defaults: { contextSize: 8192 }
models:
  qwen3: { model: qwen3.gguf, contextSize: 32768, temperature: 0.6, pinned: true }
  bge: { kind: embedding, model: bge.gguf }
`;

describe("a presets file", () => {
  test("defines models by name, of which the first generation model is the main one", () => {
    const models = specsOf(TWO);
    expect(models).toMatchObject([
      {
        ...{ kind: "generation", alias: "qwen3", contextSize: 32_768, pinned: true },
        file: { role: "model", kind: "file", path: join(folderPath, "qwen3.gguf") },
        sampling: { temperature: 0.6, topK: undefined },
        loadsAtStart: false,
      },
      { kind: "embedding", alias: "bge", file: { path: join(folderPath, "bge.gguf") } },
    ]);
    const inOtherOrder =
      "models: { a: { kind: embedding, model: /a.gguf }, b: { model: /b.gguf } }";
    expect(specsOf(inOtherOrder).map(({ alias }) => alias)).toEqual(["b", "a"]);
  });

  test("can be combined with models given by flags, which come first", () => {
    const flags = { model: "/main.gguf", embeddingModel: "/e.gguf" };
    const names = specsOf(TWO, flags).map(({ alias }) => alias);
    expect(names).toEqual(["main", "e", "qwen3", "bge"]);
    expect(specsOf(TWO, { noModel: true }).map(({ alias }) => alias)).toEqual(["qwen3", "bge"]);
  });

  test("may be JSON, and may have defaults for all models", () => {
    const path = fileWith("models.json", JSON.stringify({ models: { a: { model: "/a.gguf" } } }));
    expect(
      buildModelSpecs(loadConfig({ flags: { modelsPreset: path }, environment: {} }).config),
    ).toMatchObject([{ alias: "a" }]);
    const loaded = "defaults: { loadOnStartup: true }\nmodels: { a: { model: /a.gguf } }";
    expect(specsOf(loaded)).toMatchObject([{ loadsAtStart: true }]);
  });

  test.each([
    ["qwen3.gguf", { kind: "file", path: join(folderPath, "qwen3.gguf") }],
    ["sub/qwen3", { kind: "file", path: join(folderPath, "sub/qwen3") }],
    ["/models/a:b.gguf", { kind: "file", path: "/models/a:b.gguf" }],
    ["sub/a:b.gguf", { kind: "file", path: join(folderPath, "sub/a:b.gguf") }],
    ["hf:user/repo:Q4_K_M", { kind: "name", name: "hf:user/repo:Q4_K_M" }],
    ["hf:user/repo/file.gguf", { kind: "name", name: "hf:user/repo/file.gguf" }],
    ["user/repo:Q4_K_M", { kind: "name", name: "user/repo:Q4_K_M" }],
    ["ollama:qwen3:8b", { kind: "name", name: "ollama:qwen3:8b" }],
    ["https://example.com/a.gguf", { kind: "name", name: "https://example.com/a.gguf" }],
  ])("refers to the model %s", (model, reference) => {
    expect(specsOf(stringify({ models: { a: { model } } }))).toMatchObject([{ file: reference }]);
  });

  test("uses the name of a model without a model key to find it", () => {
    expect(specsOf("models: { 'user/repo:Q8_0': {} }")).toMatchObject([
      { alias: "user/repo:Q8_0", file: { kind: "name", name: "user/repo:Q8_0" } },
    ]);
  });

  test("resolves paths relative to its folder", () => {
    const content = `
models:
  a:
    model: a.gguf
    draft: d.gguf
    cacheDir: cache
    slotSavePath: /slots
    chatTemplateFile: a.jinja
    mmproj: p.gguf
    lora: [poet=l.gguf:0.5, /m.gguf, 'sql=hf:u/r:Q8_0:2']
`;
    const inFolder = (name: string) => join(folderPath, name);
    expect(specsOf(content)).toMatchObject([
      {
        file: { path: inFolder("a.gguf") },
        draft: { path: inFolder("d.gguf") },
        cacheDir: inFolder("cache"),
        slotSavePath: "/slots",
        chatTemplateFile: inFolder("a.jinja"),
        media: { projector: inFolder("p.gguf") },
        adapters: [
          { name: "poet", path: inFolder("l.gguf"), scale: 0.5 },
          { name: "m", path: "/m.gguf", scale: 1 },
          { name: "sql", path: "hf:u/r:Q8_0", scale: 2 },
        ],
      },
    ]);
    const drafts = "models: { a: { model: a.gguf, draft: none } }";
    expect(specsOf(drafts)).toMatchObject([{ draft: "none" }]);
    for (const projector of ["auto", "none"]) {
      const models = `models: { a: { model: a.gguf, mmproj: ${projector} } }`;
      expect(specsOf(models)).toMatchObject([{ media: { projector } }]);
    }
  });
});

describe("the settings of a preset's model", () => {
  const content = `
defaults: { contextSize: 200, parallel: 2, batchSize: 22 }
models: { a: { model: /a.gguf, contextSize: 300, parallel: 3 } }
`;
  const file = () => fileWith("ggufd.json", '{"topK": 5, "batchSize": 55}');

  test("are taken from the flag, the model's section, the defaults section, the environment, the file, the default, in this order", () => {
    const environment = { GGUFD_BATCH_SIZE: "44", GGUFD_MIN_P: "0.4", GGUFD_TOP_K: "4" };
    const loaded = load(content, { parallel: "1", config: file() }, environment);
    const [model] = buildConfiguredModels(loaded);
    const facts = (name: string) => {
      const fact = model?.facts.find((one) => one.name === name);
      return [fact?.value, fact?.origin.replace(folderPath, "")];
    };
    expect(facts("slots")).toEqual([1, "--parallel"]);
    expect(facts("contextSize")).toEqual([300, "/models.yaml [a]"]);
    expect(facts("batchSize")).toEqual([22, "/models.yaml [defaults]"]);
    expect(facts("sampling.minP")).toEqual([0.4, "GGUFD_MIN_P"]);
    expect(facts("sampling.topK")).toEqual([4, "GGUFD_TOP_K"]);
    expect(facts("sampling.topP")).toEqual([undefined, "default"]);
    expect(facts("alias")).toEqual(["a", "/models.yaml [a]"]);
    expect(facts("file")[1]).toBe("/models.yaml [a]");
    expect(load(content, { config: file() }).config.presets).toMatchObject([
      { values: { topK: 5, batchSize: 22 } },
    ]);
  });

  test("do not inherit flags that name another model's files", () => {
    const flags = { model: "/main.gguf", alias: "main", mmproj: "/p.gguf" };
    const [main, preset] = specsOf(content, flags) as readonly GenerationModelSpec[];
    expect(main?.media.projector).toBe("/p.gguf");
    expect(preset).toMatchObject({
      alias: "a",
      media: { projector: "auto" },
      file: { path: "/a.gguf" },
    });
  });

  test.each([
    [
      "the model's own template instead of the default template file",
      "chatTemplateFile: /t",
      "chatTemplate: chatml",
      ["chatml", undefined],
    ],
    [
      "the model's own template file instead of the default template",
      "chatTemplate: chatml",
      "chatTemplateFile: /t",
      [undefined, "/t"],
    ],
  ])("have %s", (_, common, own, expected) => {
    const [model] = specsOf(`defaults: { ${common} }\nmodels: { a: { model: /a.gguf, ${own} } }`);
    const { chatTemplate, chatTemplateFile } = model as GenerationModelSpec;
    expect([chatTemplate, chatTemplateFile]).toEqual(expected);
  });
});

describe("a presets file is rejected, with the position of the error:", () => {
  test.each(
    (
      [
        ["", "models.yaml: expected keys with values, got null"],
        ["- a", 'models.yaml: expected keys with values, got ["a"]'],
        ["models: 3", "models.yaml: models: expected keys with values, got 3"],
        ["defaults: {}", "models.yaml: models: expected keys with values, got nothing"],
        ["models: { a: }", "models.yaml [a]: expected keys with values, got null"],
        [
          "modles: {}\nmodels: {}",
          'models.yaml: expected the keys defaults and models, got "modles"',
        ],
        ["models: { a: {} }", "models.yaml [a]: model: expected a path or a name, got nothing"],
        [
          "models: { a: { model: '' } }",
          'models.yaml [a]: model: expected a non-empty string, got ""',
        ],
        [
          "models: { a: { model: a.gguf, contxtSize: 1 } }",
          'models.yaml [a]: contxtSize: expected a setting of generation models, got "contxtSize"; the nearest is contextSize',
        ],
        [
          "models: { a: { model: a.gguf, port: 1 } }",
          'models.yaml [a]: port: expected a setting of generation models, got "port"; the nearest is',
        ],
        [
          "models: { a: { model: a.gguf, alias: b } }",
          'models.yaml [a]: alias: expected a setting of generation models, got "alias"; the nearest is',
        ],
        [
          "models: { a: { kind: embedding, model: a.gguf, topK: 1 } }",
          "models.yaml [a]: topK: expected a setting of embedding models",
        ],
        [
          "models: { a: { kind: chat, model: a.gguf } }",
          'models.yaml [a]: kind: expected one of generation, embedding, reranking, got "chat"',
        ],
        [
          "models: { a: { model: a.gguf, contextSize: 3 } }",
          "models.yaml [a]: contextSize: expected an integer from 16 to",
        ],
        [
          "models: { a: { model: a.gguf, temperature: hot } }",
          'models.yaml [a]: temperature: expected a number of at least 0, got "hot"',
        ],
        [
          "models: { a: { model: a.gguf, pinned: 'yes' } }",
          'models.yaml [a]: pinned: expected true or false, got "yes"',
        ],
        [
          "models: { a: { model: a.gguf, modelTtl: soon } }",
          "models.yaml [a]: modelTtl: expected a number of seconds, -1 for never, or a duration such as",
        ],
        [
          "models: { a: { model: a.gguf, chatTemplate: chatml, chatTemplateFile: b } }",
          "models.yaml [a]: chatTemplate: expected either it or",
        ],
        [
          "models: { a: { model: a.gguf, draft: d.gguf, draftModel: d.gguf } }",
          "models.yaml [a]: draftModel: the older name of --draft, which is also given",
        ],
        [
          "models: { a: { model: a.gguf, draft: d.gguf, speculation: off } }",
          "models.yaml [a]: draft: requires speculation, which is off (/models.yaml [a])",
        ],
        [
          "defaults: { parallel: 0 }\nmodels: { a: { model: b } }",
          "models.yaml [defaults]: parallel: expected an integer from 1 to 256, got 0",
        ],
        [
          "defaults: { model: b }\nmodels: {}",
          'models.yaml [defaults]: model: expected in the section of a model, got "b"',
        ],
        [
          "defaults: { kind: embedding }\nmodels: {}",
          "models.yaml [defaults]: kind: expected in the section",
        ],
        [
          "models:\n  a: { model: b }\n  a: { model: c }",
          'models.yaml: not YAML: line 3, column 3: expected unique keys, got "a" again',
        ],
        [
          "models: { a: { model: b, model: c } }",
          "not YAML: line 1, column 26: expected unique keys",
        ],
        ["models: { [a]: 1 }", "not YAML: line 1, column 11: expected a string as the key"],
        ["models: {", "models.yaml: not YAML: line 1, column 10: "],
        [
          "a: 1\n---\nb: 2",
          "models.yaml: not YAML: line 2, column 1: Source contains multiple documents",
        ],
        ["models: !!js/function 'x'", "models.yaml: not YAML: line 1, column 9: Unresolved tag"],
        ["models: { a: *b }", "models.yaml: not YAML: Unresolved alias"],
        ["[".repeat(100_000), "expected less nesting"],
        [`models: ${"{a: ".repeat(50_000)}`, "expected less nesting"],
        [
          `models: { a: { model: b, contextSize: ${"[".repeat(500)}${"]".repeat(500)} } }`,
          "contextSize: expected an integer",
        ],
        ["#".repeat(300_000), "cannot be read: expected at most 262144 bytes, got 300000"],
        [
          [
            "a: &a [x,x,x,x,x,x,x,x,x]",
            ...[..."bcdef"].map(
              (name, index) => `${name}: &${name} [${Array(9).fill(`*${"abcde"[index]}`).join()}]`,
            ),
          ].join("\n"),
          "models.yaml: not YAML: Excessive alias count",
        ],
        ["models: &m { a: *m }", "[a]: "],
        [
          "models: { a: { model: /b } }\ndefaults: { <<: { topK: 1 } }",
          '[defaults]: <<: expected a setting of generation models, got "<<"',
        ],
        ["models: { __proto__: { model: /b, x: 1 } }", "[__proto__]: x: expected a setting"],
      ] as const
    ).map(([content, message]) => ({ content, message, beginning: content.slice(0, 60) })),
  )("$beginning", ({ content, message }) => {
    expect(rejection(content)).toContain(message);
  });

  test("if it does not exist, is a folder, or has an unknown extension", () => {
    const refused = (modelsPreset: string) => {
      expect(() => loadConfig({ flags: { modelsPreset }, environment: {} })).toThrow(
        "--models-preset",
      );
    };
    refused(`${missingFile}.yaml`);
    refused(folderPath);
    expect(() => loadConfig({ flags: { modelsPreset: "/a.toml" }, environment: {} })).toThrow(
      "--models-preset /a.toml: expected a file that ends in .yaml, .yml, .json or .ini, got .toml",
    );
  });

  test("if two models have the same name, or an alias is set without a model", () => {
    expect(() => specsOf("models: { main: { model: /a.gguf } }", { model: "/main.gguf" })).toThrow(
      "two models are named main",
    );
    expect(rejection(TWO, { alias: "b" })).toContain("--alias: requires --model");
  });
});

test("every value is accepted or rejected with a one-line error", () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom(
          "contextSize",
          "lora",
          "overrideKv",
          "samplers",
          "modelTtl",
          "device",
          "tensorSplit",
          "kind",
          "draft",
        ),
        fc.jsonValue({ maxDepth: 2 }),
      ),
      (values) => {
        const content = JSON.stringify({ models: { a: { model: "/a.gguf", ...values } } });
        let message = "";
        try {
          load(content);
        } catch (error) {
          message = (error as Error).message;
          expect((error as Error).name).toBe("StartupError");
        }
        expect(message).not.toContain("\n");
      },
    ),
    { numRuns: 200 },
  );
});
