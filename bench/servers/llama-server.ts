import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { InputError } from "../../models/command-line/input-error.js";
import type { ModelPurpose } from "../model-purpose.js";
import { startChildServer } from "./child-server.js";
import { fetchJson } from "./served-models.js";
import type { ServerSettings, SeveralModels, Side } from "./server.js";

/**
 * llama.cpp's own server, with its defaults except for the settings.
 * @param flags appended to those from the settings
 * @param program path of llama-server
 * @throws {InputError} if the path does not exist
 */
export function llamaServer(
  settings: ServerSettings,
  flags: readonly string[],
  program: string,
): Side {
  if (!existsSync(program)) {
    throw new InputError(`--llama-server: expected the path of llama-server, got ${program}`);
  }
  const label = "llama-server";
  return {
    kind: "llama-server",
    label,
    async start(signal) {
      const argsFor = (port: number) => [...llamaServerArgs(settings, port), ...flags];
      const { several } = settings;
      return startChildServer(
        {
          label,
          ...(several !== undefined && { files: { [PRESETS]: iniOf(several) } }),
          // Absolute, because the server runs in another working directory.
          program: resolve(program),
          argsFor,
          environmentPrefix: "LLAMA_ARG_",
          versionOf,
        },
        signal,
      );
    },
  };
}

/** Flags of llama-server for models that do not generate. */
const purposeFlags: Readonly<Record<ModelPurpose, readonly string[]>> = {
  generate: [],
  embed: ["--embedding"],
  rerank: ["--reranking"],
};

/** Presets file of several models, in the working directory. */
const PRESETS = "models.ini";

/**
 * Command line of llama-server, whose `-c` is the total context of all slots. With several models
 * it is a router, which passes its own arguments on to each model's process.
 */
export function llamaServerArgs(settings: ServerSettings, port: number): string[] {
  const { modelPath, several, purpose, slots, contextSize, threads } = settings;
  const { adapterPaths = [], projectorPath } = settings;
  const models =
    several === undefined
      ? ["-m", modelPath]
      : ["--models-preset", PRESETS, "--models-max", String(several.fitting)];
  return [
    ...purposeFlags[purpose],
    ...[...models, "-np", String(slots), "-c", String(slots * contextSize)],
    ...adapterPaths.flatMap((path) => ["--lora", path]),
    ...(adapterPaths.length > 0 ? ["--lora-init-without-apply"] : []),
    ...(projectorPath === undefined ? [] : ["--mmproj", projectorPath]),
    ...["-t", String(threads), "--no-webui", "--host", "127.0.0.1", "--port", String(port)],
  ];
}

/** Formats llama-server's presets file. */
export function iniOf({ files }: SeveralModels): string {
  return files.map(({ name, path }) => `[${name}]\nmodel = ${path}\n`).join("\n");
}

async function versionOf(url: string): Promise<string> {
  const props = (await fetchJson(`${url}/props`)) as { readonly build_info?: string } | undefined;
  return props?.build_info ?? "unknown";
}
