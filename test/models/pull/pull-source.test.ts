import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ModelError } from "../../../src/models/model-error.js";
import {
  type PullSource,
  parsePullName,
  toCanonicalName,
} from "../../../src/models/pull/pull-source.js";
import { isSafePath } from "../../../src/models/store/safe-path.js";

const parse = (name: string) => parsePullName(name, ["huggingface.co", "hf.co", "hub.example"]);

describe("a Hugging Face name", () => {
  test.each([
    ["hf:u/r", { by: "default" }],
    ["u/r", { by: "default" }],
    ["u/r:Q8_0", { by: "tag", tag: "Q8_0" }],
    ["hf:u/r:UD-Q4_K_XL", { by: "tag", tag: "UD-Q4_K_XL" }],
    ["hf:u/r/m.gguf", { by: "file", file: "m.gguf" }],
    ["hf:u/r/Q8_0/m-00001-of-00002.gguf", { by: "file", file: "Q8_0/m-00001-of-00002.gguf" }],
    ["hf.co/u/r:Q8_0", { by: "tag", tag: "Q8_0" }],
    ["huggingface.co/u/r", { by: "default" }],
    ["https://huggingface.co/u/r", { by: "default" }],
    [
      "https://hub.example/u/r/resolve/main/a%20b.gguf?download=true",
      { by: "file", file: "a b.gguf" },
    ],
    ["https://huggingface.co/u/r/blob/main/q/m.gguf", { by: "file", file: "q/m.gguf" }],
  ])("%s is parsed", (name, selection) => {
    expect(parse(name)).toEqual({
      kind: "hugging-face",
      repo: "u/r",
      revision: undefined,
      selection,
    });
  });

  test.each([
    ["hf:u/r@v1.0:Q4_0", "v1.0"],
    ["u/r@refs-pr-1", "refs-pr-1"],
    ["https://hf.co/u/r/resolve/abc/m.gguf", "abc"],
    ["hf:u/r@main", undefined],
  ])("%s has the revision %s", (name, revision) => {
    expect(parse(name)).toMatchObject({ repo: "u/r", revision });
  });

  test.each([
    ...[
      "hf:u",
      "hf:u/",
      "hf:/r",
      "hf:u/r/",
      "hf:u/r:",
      "hf:u/r@",
      "hf:u/r/m.bin",
      "hf:u/r:a/b.gguf",
    ],
    ...["hf:../r", "hf:u/..", "hf:u/r/../../m.gguf", "hf:u/r//m.gguf", "hf:u/r/a\\..\\m.gguf"],
    ...["hf:u/r/m\0.gguf", "hf:u /r", "hf:u/r--x", "hf:.u/r", `hf:${"u".repeat(97)}/r`, "hf:con/r"],
    ...[
      "hf:u/r@../x:Q4_0",
      "https://hf.co/u/r/tree/main",
      "https://hf.co/u/r/resolve/main/%2e%2e/m.gguf",
    ],
  ])("%j is invalid", (name) => {
    expect(() => parse(name)).toThrow(ModelError);
  });
});

describe("a name in Ollama's registry", () => {
  const official = { host: "registry.ollama.ai", namespace: "library" };
  test.each([
    ["ollama:llama3.2", { ...official, model: "llama3.2", tag: "latest" }],
    ["ollama:llama3.2:1b", { ...official, model: "llama3.2", tag: "1b" }],
    ["ollama:jane/m:v2", { ...official, namespace: "jane", model: "m", tag: "v2" }],
    [
      "ollama:localhost:5000/a/m",
      { host: "localhost:5000", namespace: "a", model: "m", tag: "latest" },
    ],
    ["ollama:HF.co/u/r:Q4_0", { host: "hf.co", namespace: "u", model: "r", tag: "Q4_0" }],
  ])("%s is parsed", (name, reference) => {
    expect(parse(name)).toEqual({ kind: "ollama", reference });
  });

  test.each([
    ...["ollama:", "ollama:a/b/c/d", "ollama:m:", "ollama:m:a:b", "ollama:../m", "ollama:a/..:x"],
    ...["ollama:ho st/a/m", "ollama:host@evil/a/m", "ollama:host:99999999/a/m", "ollama:m\0"],
  ])("%j is invalid", (name) => {
    expect(() => parse(name)).toThrow("[host/]user/]name[:tag], got");
  });
});

describe("a URL", () => {
  test("refers to the named file", () => {
    const source = parse("https://example.com:8443/models/a%20b-Q4_0.gguf?token=1#x");
    expect(source).toMatchObject({ kind: "url", path: "models/a b-Q4_0.gguf" });
    expect(toCanonicalName(source)).toBe("https://example.com:8443/models/a%20b-Q4_0.gguf?token=1");
  });

  test.each([
    ["https://example.com/", "expected the URL of a .gguf file"],
    ["https://example.com/m.bin", "expected the URL of a .gguf file"],
    ["https://example.com/%2e%2e%2fm.gguf", "expected the URL of a .gguf file"],
    ["https://example.com/a%00.gguf", "expected the URL of a .gguf file"],
    ["https://example.com/a%E2%80%AEb.gguf", "at most 192 bytes without control or format"],
    [`https://example.com/${"x".repeat(188)}.gguf`, "at most 192 bytes without control or format"],
    ["hf:u/r/a\u202eb.gguf", 'got "hf:u/r/a\\u202eb.gguf"'],
    ["hf:u/r/\ud800.gguf", 'got "hf:u/r/\\ud800.gguf"'],
    [`hf:u/r/${"x".repeat(188)}.gguf`, "at most 192 bytes without control or format characters"],
    ["https://example.com/%zz.gguf", "expected a URL with a valid path"],
    ["https://", "expected hf:user/repo"],
    ["https://u:secret@example.com/m.gguf", "expected a URL without a user and password"],
  ])("%s is rejected: %s", (name, reason) => {
    expect(() => parse(name)).toThrow(reason);
    expect(() => parse(name)).not.toThrow("secret");
  });
});

describe("any other source", () => {
  test("without a registry is rejected, suggesting both spellings", () => {
    expect(() => parse("llama3:8b")).toThrow(
      'expected a source: ollama:llama3:8b for Ollama\'s registry, or hf:user/llama3:8b for Hugging Face, got "llama3:8b"',
    );
  });

  test.each(["", " ", "/etc/passwd", "./m.gguf", "a/b/c", "ftp://x/m.gguf", "u/r/m.gguf", "-x"])(
    "%j is rejected",
    (name) => {
      expect(() => parse(name)).toThrow("expected");
    },
  );

  test("is rejected or has a safe path", () => {
    const fragment = fc.constantFrom(
      ...[
        "hf:",
        "ollama:",
        "https://",
        "hf.co",
        "u",
        "r",
        "/",
        ":",
        "@",
        ".",
        "..",
        "\\",
        "\0",
        "%2e",
      ],
      ...["m.gguf", "-00001-of-00002", "?", "#", " "],
    );
    const pathsOf = (source: PullSource): readonly string[] => {
      if (source.kind === "url") return [source.path];
      if (source.kind === "ollama") {
        const { namespace, model, tag } = source.reference;
        return [namespace, model, tag];
      }
      const { repo, revision = "x", selection } = source;
      return [repo, revision, ...(selection.by === "file" ? [selection.file] : [])];
    };
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 9 }), (parts) => {
        let source: PullSource;
        try {
          source = parse(parts.join(""));
        } catch (error) {
          expect(error).toBeInstanceOf(ModelError);
          return;
        }
        expect(pathsOf(source).filter((path) => !isSafePath(path))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});

test.each([
  ["u/r", "hf:u/r"],
  ["u/r:q4_k_m", "hf:u/r:Q4_K_M"],
  ["https://hf.co/u/r/blob/main/m.gguf", "hf:u/r/m.gguf"],
  ["hf:u/r@v1/m.gguf", "hf:u/r@v1/m.gguf"],
  ["ollama:library/m", "ollama:m:latest"],
])("%s and %s are the same source", (name, canonical) => {
  expect(toCanonicalName(parse(name))).toBe(canonical);
  expect(toCanonicalName(parse(canonical))).toBe(canonical);
});
