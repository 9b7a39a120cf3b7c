import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { OllamaText } from "./stored-model.js";

/** Texts of an Ollama model. */
export interface OllamaTexts {
  /** Chat template, in Go's template language. */
  readonly template: string | undefined;
  readonly system: string | undefined;
  /** Options by Ollama's names, such as `temperature`; a list for `stop`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Messages that precede each conversation. */
  readonly messages: readonly unknown[];
  readonly licenses: readonly string[];
}

/** Maximum size of a text; longer ones are left out. Licences of large models have 30 KB. */
const MAX_TEXT_BYTES = 1024 * 1024;

const parameters = z.record(z.string(), z.unknown());

/** Reads the texts of a model. Missing and damaged ones are left out. */
export async function readOllamaTexts(texts: readonly OllamaText[]): Promise<OllamaTexts> {
  const read = async (kind: OllamaText["kind"]) =>
    Promise.all(
      texts
        .filter((text) => text.kind === kind && text.sizeBytes <= MAX_TEXT_BYTES)
        .map(({ path }) => readFile(path, "utf8").catch(() => "")),
    );
  const [template] = await read("template");
  const [system] = await read("system");
  const [params] = await read("params");
  const [messages] = await read("messages");
  return {
    template: template || undefined,
    system: system || undefined,
    parameters: parameters.safeParse(parseOrUndefined(params)).data ?? {},
    messages: z.array(z.unknown()).safeParse(parseOrUndefined(messages)).data ?? [],
    licenses: (await read("license")).filter((text) => text !== ""),
  };
}

function parseOrUndefined(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? "");
  } catch {
    return undefined;
  }
}
