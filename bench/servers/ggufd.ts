import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InputError } from "../../models/command-line/input-error.js";
import { askJson } from "./ask-json.js";
import { startChildServer } from "./child-server.js";
import type { ServerSettings, Side } from "./server.js";

const program = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/**
 * Our own daemon, as it was compiled last, on the CPU unless a flag says otherwise.
 * @param flags after those of the settings.
 */
export function ggufd(label: string, settings: ServerSettings, flags: readonly string[]): Side {
  return {
    label,
    async start(signal) {
      const daemon = daemonProgram();
      const argsFor = (port: number) => [daemon, ...ggufdArgs(settings, port), ...flags];
      return startChildServer(
        { label, program: process.execPath, argsFor, environmentPrefix: "GGUFD_", versionOf },
        signal,
      );
    },
  };
}

/**
 * The path of our own daemon, as it was compiled last.
 * @throws {InputError} when it was not.
 */
export function daemonProgram(): string {
  if (existsSync(program)) return program;
  throw new InputError("dist/main.js: expected the compiled server; run npm run build");
}

/** The command line of our own server. */
export function ggufdArgs(settings: ServerSettings, port: number): string[] {
  const { modelPath, slots, contextSize, threads } = settings;
  return [
    ...["serve", "--model", modelPath, "--parallel", String(slots)],
    ...["--context-size", String(contextSize), "--threads", String(threads)],
    ...["--gpu", "off", "--drain-timeout", "0", "--port", String(port)],
  ];
}

/** The version that a server names at its root. */
export async function versionOf(url: string): Promise<string> {
  const about = (await askJson(url)) as { readonly version?: string } | undefined;
  return about?.version ?? "unknown";
}
