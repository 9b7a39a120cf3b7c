import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { type SettingName, settingNames, settings } from "../../src/config/settings.js";
import { StartupError } from "../../src/core/startup-error.js";
import { configFolder } from "../support/config-file.js";

const { fileWith, folderPath, missingFile } = configFolder();

interface Sources {
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly environment?: NodeJS.ProcessEnv;
  /** Content of the configuration file. */
  readonly file?: unknown;
}

let files = 0;

function load({ flags = {}, environment = {}, file }: Sources) {
  if (file === undefined) return { ...loadConfig({ flags, environment }), path: "" };
  const path = fileWith(`config-${++files}.json`, JSON.stringify(file));
  return { ...loadConfig({ flags: { ...flags, config: path }, environment }), path };
}

function rejection(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  throw new Error("expected a rejection");
}

describe("the precedence of sources", () => {
  const samples: readonly {
    readonly name: SettingName;
    readonly form: string;
    readonly variable: string;
    readonly flag: string;
    readonly raw: readonly [flag: unknown, environment: string, file: unknown];
    readonly parsed: readonly [flag: unknown, environment: unknown, file: unknown];
  }[] = [
    {
      name: "todos",
      form: "text",
      flag: "--todos",
      variable: "GGUFD_TODOS",
      raw: ["a", "b", "c"],
      parsed: ["a", "b", "c"],
    },
    {
      name: "host",
      form: "list or text",
      flag: "--host",
      variable: "GGUFD_HOST",
      raw: [["::1"], "0.0.0.0,unix:/a", "::"],
      parsed: [["::1"], ["0.0.0.0", "unix:/a"], ["::"]],
    },
    {
      name: "contextSize",
      form: "integer",
      flag: "--context-size",
      variable: "GGUFD_CONTEXT_SIZE",
      raw: ["100", "200", 300],
      parsed: [100, 200, 300],
    },
    {
      name: "gpuLayers",
      form: "integer or auto",
      flag: "--gpu-layers",
      variable: "GGUFD_GPU_LAYERS",
      raw: ["0", "auto", 12],
      parsed: [0, "auto", 12],
    },
    {
      name: "noModel",
      form: "switch",
      flag: "--no-model",
      variable: "GGUFD_NO_MODEL",
      raw: [true, "false", true],
      parsed: [true, false, true],
    },
    {
      name: "apiKey",
      form: "list",
      flag: "--api-key",
      variable: "GGUFD_API_KEY",
      raw: [["a", "b"], "c,d", ["e"]],
      parsed: [["a", "b"], ["c", "d"], ["e"]],
    },
  ];

  test.each(samples)("is flag, environment, file, default for settings of type $form", (sample) => {
    const { name, flag, variable, raw, parsed } = sample;
    const all = {
      flags: { [name]: raw[0] },
      environment: { [variable]: raw[1] },
      file: { [name]: raw[2] },
    };
    const { flags: _flags, ...withoutFlags } = all;
    const { environment: _environment, ...fileOnly } = withoutFlags;

    const byFlag = load(all);
    expect([byFlag.config[name], byFlag.origins[name]]).toEqual([parsed[0], flag]);
    const byEnvironment = load(withoutFlags);
    expect([byEnvironment.config[name], byEnvironment.origins[name]]).toEqual([
      parsed[1],
      variable,
    ]);
    const byFile = load(fileOnly);
    expect([byFile.config[name], byFile.origins[name]]).toEqual([parsed[2], byFile.path]);
    const byDefault = load({});
    expect([byDefault.config[name], byDefault.origins[name]]).toEqual([
      settings[name].schema.parse(undefined),
      "default",
    ]);
  });

  test("applies to each setting separately", () => {
    const { config } = load({
      flags: { port: "1" },
      environment: { GGUFD_PORT: "2", GGUFD_HOST: "::1" },
      file: { port: 3, host: "::", parallel: 7 },
    });
    expect(config).toMatchObject({ port: 1, host: ["::1"], parallel: 7, batchSize: 512 });
  });

  test("ignores an empty environment variable", () => {
    const { config, origins } = load({ environment: { GGUFD_PORT: "" }, file: { port: 3 } });
    expect(config.port).toBe(3);
    expect(origins.port).not.toBe("GGUFD_PORT");
  });

  test("excludes the file if GGUFD_CONFIG is empty", () => {
    expect(load({ environment: { GGUFD_CONFIG: "" } }).config).toEqual(load({}).config);
  });

  test("is higher for --config than for GGUFD_CONFIG", () => {
    const one = fileWith("one.json", '{"port": 1}');
    const two = fileWith("two.json", '{"port": 2}');
    const environment = { GGUFD_CONFIG: one };
    expect(loadConfig({ flags: {}, environment }).config.port).toBe(1);
    expect(loadConfig({ flags: { config: two }, environment }).config.port).toBe(2);
  });
});

describe("defaults", () => {
  test("are valid and complete", () => {
    const { config, origins } = load({});
    expect(Object.keys(config)).toEqual([...settingNames, "presets"]);
    expect(Object.values(origins)).toEqual(settingNames.map(() => "default"));
    expect(config).toMatchObject({
      model: undefined,
      host: ["127.0.0.1"],
      port: 8080,
      parallel: undefined,
      contextSize: undefined,
      threads: "auto",
      apiKey: [],
      acceptAnyModel: false,
      drainTimeout: 30,
    });
  });

  test("are frozen, like every loaded configuration", () => {
    const { config, origins } = load({ flags: { port: "1" } });
    expect([config, origins].map((object) => Object.isFrozen(object))).toEqual([true, true]);
  });
});

describe("the text of a flag or variable", () => {
  test.each([
    ["0", 0],
    ["65535", 65_535],
    ["0080", 80],
  ])("%j is parsed as the integer %i", (raw, expected) => {
    expect(load({ flags: { port: raw } }).config.port).toBe(expected);
    expect(load({ environment: { GGUFD_PORT: raw } }).config.port).toBe(expected);
  });

  test.each([
    ["true", true],
    ["1", true],
    ["YES", true],
    ["on", true],
    ["false", false],
    ["0", false],
    ["No", false],
    ["off", false],
  ])("%j is parsed as the switch %s", (raw, expected) => {
    expect(load({ environment: { GGUFD_NO_MODEL: raw } }).config.noModel).toBe(expected);
  });

  test("is split at commas for lists, and list flags can be repeated", () => {
    expect(load({ environment: { GGUFD_API_KEY: "a" } }).config.apiKey).toEqual(["a"]);
    expect(load({ environment: { GGUFD_API_KEY: "a,b" } }).config.apiKey).toEqual(["a", "b"]);
    expect(load({ flags: { apiKey: ["a", "b,c"] } }).config.apiKey).toEqual(["a", "b,c"]);
  });
});

describe("an invalid value", () => {
  test.each<[SettingName, string, string]>([
    ["port", "http", 'expected an integer from 0 to 65535, got "http"'],
    ["port", "80.5", 'expected an integer from 0 to 65535, got "80.5"'],
    ["port", "1e3", 'expected an integer from 0 to 65535, got "1e3"'],
    ["port", "-1", "expected an integer from 0 to 65535, got -1"],
    ["port", "65536", "expected an integer from 0 to 65535, got 65536"],
    ["parallel", "0", "expected an integer from 1 to 256, got 0"],
    ["threads", "many", 'expected an integer of at least 1, or auto, got "many"'],
    ["gpu", "rocm", 'expected one of auto, cuda, vulkan, metal, off, got "rocm"'],
    ["acceptAnyModel", "maybe", 'expected true or false, got "maybe"'],
    ["requestTimeout", "5m", 'expected an integer from 0 to 86400, got "5m"'],
    ["writeTimeout", "0", "expected an integer from 1 to 3600, got 0"],
    ["maxConnections", "0", "expected an integer from 1 to 1000000, got 0"],
    ["maxConnectionsPerAddress", "-1", "expected an integer from 0 to 1000000, got -1"],
  ])("of %s is rejected with its flag or variable: %s", (name, raw, reason) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    expect(rejection(() => load({ flags: { [name]: raw } }))).toBe(`${flag}: ${reason}`);
    const variable = `GGUFD_${flag.slice(2).replaceAll("-", "_").toUpperCase()}`;
    const environment = { [variable]: raw };
    expect(rejection(() => load({ environment }))).toBe(`${variable}: ${reason}`);
  });

  test.each<[SettingName, unknown, string]>([
    ["port", "8080", 'expected an integer from 0 to 65535, got "8080"'],
    ["port", null, "expected an integer from 0 to 65535, got null"],
    ["host", 7, "expected an address such as 127.0.0.1, a host name or unix:PATH, got 7"],
    ["model", "", 'expected a non-empty string, got ""'],
    ["noModel", "true", 'expected true or false, got "true"'],
  ])("of %s is rejected with the file and key: %j", (name, raw, reason) => {
    const path = fileWith("wrong.json", JSON.stringify({ [name]: raw }));
    const attempt = () => loadConfig({ flags: { config: path }, environment: {} });
    expect(rejection(attempt)).toBe(`${path}: ${name}: ${reason}`);
  });

  test("is not quoted if the setting is secret", () => {
    const path = fileWith("secret.json", '{"apiKey": ["sk-secret", 7]}');
    const messages = [
      rejection(() => load({ environment: { GGUFD_API_KEY: "sk-secret," } })),
      rejection(() => load({ flags: { apiKey: ["sk-secret", ""] } })),
      rejection(() => load({ flags: { config: path } })),
      rejection(() => load({ file: { apiKey: "sk-secret" } })),
    ];
    expect(messages.join()).not.toContain("sk-secret");
    expect(messages.slice(0, 3)).toEqual([
      "GGUFD_API_KEY: not a valid key",
      "--api-key: not a valid key",
      `${path}: apiKey: not a valid key`,
    ]);
  });
});

describe("the name of a model that is not configured", () => {
  test.each(["embedding", "reranking"])("is rejected (%s)", (kind) => {
    const environment = { [`GGUFD_${kind.toUpperCase()}_ALIAS`]: "x" };
    expect(() => loadConfig({ flags: {}, environment })).toThrow(
      `GGUFD_${kind.toUpperCase()}_ALIAS: requires --${kind}-model`,
    );
    const flags = { [`${kind}Alias`]: "x", [`${kind}Model`]: "m.gguf" };
    expect(loadConfig({ flags, environment: {} }).config).toMatchObject(flags);
  });
});

describe("a draft model with speculation off", () => {
  test.each<[Sources, string]>([
    [
      { flags: { draft: "d.gguf", speculation: "off" } },
      "--draft: requires speculation, which is off (--speculation)",
    ],
    [
      { environment: { GGUFD_DRAFT: "d.gguf" }, flags: { speculation: "off" } },
      "GGUFD_DRAFT: requires speculation, which is off (--speculation)",
    ],
    [
      { flags: { draftModel: "d.gguf", speculation: "off" } },
      "--draft-model: requires speculation, which is off (--speculation)",
    ],
  ])("is rejected with an error that names both settings: %j", (sources, message) => {
    expect(rejection(() => load(sources))).toBe(message);
  });

  test("is rejected with the key in the configuration file", () => {
    const path = fileWith("draft.json", '{"draft": "d.gguf", "speculation": "off"}');
    expect(rejection(() => load({ flags: { config: path } }))).toBe(
      `${path}: draft: requires speculation, which is off (${path})`,
    );
  });

  test.each(["auto", "none"])("is accepted if it is %s", (draft) => {
    expect(load({ flags: { draft, speculation: "off" } }).config.draft).toBe(draft);
  });

  test("is accepted with speculation on", () => {
    const { config } = load({ flags: { draft: "d.gguf" } });
    expect(config).toMatchObject({ draft: "d.gguf", speculation: "auto" });
  });
});

describe("replicas", () => {
  test.each<[string, unknown]>([
    ["1", 1],
    ["64", 64],
    ["auto", "auto"],
  ])("are given as %s", (replicas, expected) => {
    expect(load({ flags: { replicas } }).config.replicas).toBe(expected);
  });

  test.each([
    ["0", "expected an integer from 1 to 64, got 0"],
    ["65", "expected an integer from 1 to 64, got 65"],
    ["1.5", 'expected an integer from 1 to 64, or auto, got "1.5"'],
    ["many", 'expected an integer from 1 to 64, or auto, got "many"'],
  ])("are rejected if they are %s", (replicas, message) => {
    expect(rejection(() => load({ flags: { replicas } }))).toBe(`--replicas: ${message}`);
  });

  test.each<[Sources, string]>([
    [
      { flags: { replicas: "2", engine: "inline" } },
      "--replicas: expected 1 with --engine inline (--engine), got 2",
    ],
    [
      { environment: { GGUFD_REPLICAS: "auto" }, flags: { numa: "distribute" } },
      "GGUFD_REPLICAS: expected 1 with --numa distribute (--numa), got auto",
    ],
    [
      { flags: { replicas: "2", tensorSplit: "3,1" } },
      "--replicas: expected 1 with --tensor-split 3,1 (--tensor-split), got 2",
    ],
    [
      { environment: { GGUFD_SPLIT_MODE: "row" }, flags: { replicas: "auto" } },
      "--replicas: expected 1 with --split-mode row (GGUFD_SPLIT_MODE), got auto",
    ],
  ])("are rejected with %j, by both settings", (sources, message) => {
    expect(rejection(() => load(sources))).toBe(message);
  });

  test("are one with an inline engine or a NUMA strategy", () => {
    const { config } = load({ flags: { engine: "inline", numa: "isolate", replicas: "1" } });
    expect(config.replicas).toBe(1);
  });
});

describe("a draft model configured by the setting's older name", () => {
  const path = () => fileWith("older.json", '{"draftModel": "d.gguf"}');

  test.each<[string, () => Sources, string]>([
    ["a flag", () => ({ flags: { draftModel: "d.gguf" } }), "--draft-model"],
    ["a variable", () => ({ environment: { GGUFD_DRAFT_MODEL: "d.gguf" } }), "GGUFD_DRAFT_MODEL"],
    ["a key of the file", () => ({ flags: { config: path() } }), ""],
  ])("is equivalent to one configured by the current name (%s)", (_, sources, origin) => {
    const { config, origins } = load(sources());
    expect(config.draft).toBe("d.gguf");
    expect(origins.draft).toContain(origin);
  });

  test.each<[Sources, string]>([
    [
      { flags: { draftModel: "d.gguf", draft: "none" } },
      "--draft-model: the older name of --draft, which is also given (--draft)",
    ],
    [
      { environment: { GGUFD_DRAFT_MODEL: "d.gguf" }, flags: { draft: "d.gguf" } },
      "GGUFD_DRAFT_MODEL: the older name of --draft, which is also given (--draft)",
    ],
  ])("is rejected if the current name is set as well: %j", (sources, message) => {
    expect(rejection(() => load(sources))).toBe(message);
  });
});

describe("a configuration file", () => {
  test.each([
    ["an array", "[]"],
    ["null", "null"],
    ["a string", '"port"'],
    ["a number", "7"],
  ])("that is %s is rejected", (_, content) => {
    const path = fileWith("shape.json", content);
    expect(rejection(() => load({ flags: { config: path } }))).toBe(
      `--config ${path}: expected a JSON object of settings`,
    );
  });

  test.each(["", "{", "port: 8080", "{'port': 8080}"])(
    "that is not JSON is rejected: %j",
    (content) => {
      const path = fileWith("text.json", content);
      expect(rejection(() => load({ flags: { config: path } }))).toContain(
        `--config ${path}: not JSON`,
      );
    },
  );

  test.each(['{"apiKey": [sk-secret-123]}', "sk-secret-123", '{"apiKey": ["a"], sk-secret-123\n}'])(
    "that is not JSON is not quoted, because it may contain keys: %s",
    (content) => {
      const path = fileWith("text.json", content);
      expect(rejection(() => load({ flags: { config: path } }))).not.toMatch(/secret|sk-/);
    },
  );

  test.each([
    ["only brackets", "[".repeat(100_000)],
    ["a setting", `{"port":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["an unknown key", `{"prot":${'{"a":'.repeat(129)}0${"}".repeat(129)}}`],
  ])("that is nested too deeply is rejected: %s", (_, content) => {
    const path = fileWith("deep.json", content);
    expect(rejection(() => load({ flags: { config: path } }))).toBe(
      `--config ${path}: expected at most 128 levels of nesting, got more`,
    );
  });

  test.each(["prot", "constructor", "__proto__"])("with the unknown key %s is rejected", (key) => {
    const path = fileWith("unknown.json", `{"${key}": 2}`);
    expect(rejection(() => load({ flags: { config: path } }))).toContain(`${key}: unknown key`);
  });

  test("with an unknown key is rejected with the nearest known one", () => {
    const path = fileWith("unknown.json", '{"port": 1, "prot": 2}');
    expect(rejection(() => load({ flags: { config: path } }))).toBe(
      `${path}: prot: unknown key; the nearest is port (docs/configuration.md lists all)`,
    );
  });

  test.each([missingFile, folderPath])("that cannot be read is rejected", (path) => {
    expect(rejection(() => load({ flags: { config: path } }))).toContain(
      `--config ${path}: cannot be read: `,
    );
  });

  test("may be an empty object", () => {
    expect(load({ file: {} }).config).toEqual(load({}).config);
  });
});
