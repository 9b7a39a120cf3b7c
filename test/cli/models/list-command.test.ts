import { expect, test } from "vitest";
import { describeListing } from "../../../src/cli/models/list-command.js";
import type { StoredFile, StoredModel } from "../../../src/models/store/stored-model.js";

const file = (path: string, sizeBytes: number): StoredFile => ({
  path,
  sizeBytes,
  modifiedMs: Date.parse("2026-11-26T12:00:00Z"),
  sha256: undefined,
});

const models: readonly StoredModel[] = [
  {
    name: "mine",
    aliases: [],
    files: [file("/m/mine.gguf", 5_000_000)],
    projector: undefined,
    adapters: [],
    place: "folder",
  },
  {
    name: "llama3:latest",
    aliases: [],
    files: [file("/o/blob", 4_500_000_000)],
    projector: file("/o/projector", 500_000_000),
    adapters: [],
    place: "ollama",
    origin: { kind: "ollama", name: "llama3:latest", texts: [] },
  },
];

test("models are listed in a table", () => {
  expect(describeListing({ models, partials: [], problems: [] })).toBe(
    `name           size    changed     with       where
mine           5.0 MB  2026-11-26             ggufd's folder
llama3:latest  5.0 GB  2026-11-26  projector  Ollama
`,
  );
});

test("files that are not valid models are listed below the table", () => {
  const listing = {
    models: [],
    partials: [file("/m/x.gguf.part", 2_000_000)],
    problems: [
      { path: "/m/m.json", reason: "manifest /m/m.json: not JSON" },
      { path: "/gone.gguf", reason: "the added path no longer contains a model" },
      { path: "/a\u202eb.gguf", reason: "expected another name" },
    ],
  };
  expect(describeListing(listing).split("\n")).toEqual([
    "No models on this machine; download one with ggufd pull NAME.",
    "",
    "Partial download: 2.0 MB at /m/x.gguf.part; delete it with ggufd rm PATH.",
    "Not usable: manifest /m/m.json: not JSON",
    "Not usable: /gone.gguf: the added path no longer contains a model",
    "Not usable: /a\\u202eb.gguf: expected another name",
    "",
  ]);
});
