import { formatReason } from "../../core/format-reason.js";
import { formatSiUnits } from "../../core/si-units.js";
import { placeTitles } from "../../models/store/find-model.js";
import { resolveModelPlaces } from "../../models/store/model-folders.js";
import { ModelStore } from "../../models/store/model-store.js";
import { type OllamaTexts, readOllamaTexts } from "../../models/store/ollama-texts.js";
import {
  filesOf,
  type ModelOrigin,
  originOf,
  type StoredModel,
  sizeOf,
  textsOf,
} from "../../models/store/stored-model.js";
import { inspectFile } from "../../serve/inspect-files.js";
import { formatJson } from "../json-output.js";

export interface ShowArguments {
  readonly name: string;
  readonly modelsDir: string | undefined;
  readonly output: "text" | "json";
}

/** Header of a model's file. Plain data. */
type Header =
  | {
      readonly state: "sound";
      readonly name: string;
      readonly kind: string;
      readonly architecture: string;
      readonly parameters: number;
      readonly quantization: string | null;
      readonly trainContextSize: number | null;
      readonly hasChatTemplate: boolean;
    }
  | { readonly state: "unsound"; readonly reason: string };

/** Model with the header of its file and the texts of its source. Plain data. */
export interface ShownModel {
  readonly model: StoredModel;
  readonly header: Header;
  /** Texts of a model from Ollama, or of a derived model. */
  readonly texts: OllamaTexts | undefined;
}

/**
 * Shows the details of one model.
 * @returns the text to print
 * @throws {ModelError} `not_found`, `ambiguous`
 */
export async function runShow(
  { name, modelsDir, output }: ShowArguments,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const model = await new ModelStore(resolveModelPlaces(environment, modelsDir)).find(name);
  const files = textsOf(model);
  const texts = files.length === 0 ? undefined : await readOllamaTexts(files);
  const shownModel = { model, header: await readHeader(model.files[0].path), texts };
  return output === "json" ? formatJson(shownModel) : describeModel(shownModel);
}

/**
 * Reads the header of a file. An invalid file is reported as such, so that the other details can be
 * shown.
 */
async function readHeader(path: string): Promise<Header> {
  try {
    const { name, kind, architecture, parameters, hasChatTemplate, ...file } =
      await inspectFile(path);
    return {
      state: "sound",
      name,
      kind,
      architecture,
      parameters,
      quantization: file.quantization ?? null,
      trainContextSize: file.trainContextSize ?? null,
      hasChatTemplate,
    };
  } catch (error) {
    return { state: "unsound", reason: formatReason(error) };
  }
}

/** Formats the known details as a table, followed by the texts of the model. */
export function describeModel({ model, header, texts }: ShownModel): string {
  const rows: readonly (readonly [string, string])[] = [
    ["name", model.name],
    ["where", placeTitles[model.place]],
    ["size", `${formatSiUnits(sizeOf(model))}B`],
    ...filesOf(model).flatMap(({ path, sha256 }): [string, string][] => [
      ["file", path],
      ...(sha256 === undefined ? [] : [["", `sha256 ${sha256}`] as [string, string]]),
    ]),
    ...buildOriginRows(originOf(model)),
    ...buildHeaderRows(header),
  ];
  const lines = rows.map(([label, value]) => `${label.padEnd(14)}${value}`.trimEnd());
  return `${[...lines, ...formatTexts(texts)].join("\n")}\n`;
}

function buildOriginRows(origin: ModelOrigin | undefined): [string, string][] {
  switch (origin?.kind) {
    case "hugging-face":
      return [
        ["repository", origin.repo],
        ["revision", origin.revision],
      ];
    case "ollama":
      return [["tag", origin.name]];
    case "url":
      return [["url", origin.url]];
    case "made":
      return [["made of", origin.from]];
    case undefined:
      return [];
  }
}

function buildHeaderRows(header: Header): [string, string][] {
  if (header.state === "unsound") return [["problem", header.reason]];
  const { name, kind, architecture, parameters, quantization, trainContextSize } = header;
  return [
    ["model", `${name} (${architecture}, ${formatSiUnits(parameters)} parameters)`],
    ["for", kind],
    ...(quantization === null ? [] : [["quantisation", quantization] as [string, string]]),
    ...(trainContextSize === null
      ? []
      : [["context", `${trainContextSize} tokens`] as [string, string]]),
    ["chat template", header.hasChatTemplate ? "in the file" : "none"],
  ];
}

/** Formats the texts of an Ollama model. Of each licence only the first line is shown. */
function formatTexts(texts: OllamaTexts | undefined): string[] {
  if (texts === undefined) return [];
  const { template, system, parameters, licenses } = texts;
  const formatSection = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`.trimEnd())];
  const settings = Object.entries(parameters).map(
    ([name, value]) => `${name} ${JSON.stringify(value)}`,
  );
  return [
    ...formatSection("Ollama template", template?.split("\n") ?? []),
    ...formatSection("system message", system?.split("\n") ?? []),
    ...formatSection("parameters", settings),
    ...formatSection(
      "licences",
      licenses.map((text) => text.trim().split("\n")[0] ?? ""),
    ),
  ];
}
