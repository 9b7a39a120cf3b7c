import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { InputError } from "../../models/command-line/input-error.js";
import { askJson } from "./ask-json.js";
import { startChildServer } from "./child-server.js";
import type { ServerSettings, Side } from "./server.js";

/**
 * llama.cpp's own server, with its defaults but for the settings.
 * @param program its path.
 * @param flags after those of the settings.
 * @throws {InputError} when there is nothing at the path.
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
    label,
    async start(signal) {
      const argsFor = (port: number) => [...llamaServerArgs(settings, port), ...flags];
      return startChildServer(
        {
          label,
          // It runs in a folder of its own.
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

/** The command line of llama-server; its `-c` is the sum of all slots. */
export function llamaServerArgs(settings: ServerSettings, port: number): string[] {
  const { modelPath, slots, contextSize, threads } = settings;
  return [
    ...["-m", modelPath, "-np", String(slots), "-c", String(slots * contextSize)],
    ...["-t", String(threads), "--no-webui", "--host", "127.0.0.1", "--port", String(port)],
  ];
}

async function versionOf(url: string): Promise<string> {
  const props = (await askJson(`${url}/props`)) as { readonly build_info?: string } | undefined;
  return props?.build_info ?? "unknown";
}
