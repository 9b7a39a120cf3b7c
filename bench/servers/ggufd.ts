import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InputError } from "../../models/command-line/input-error.js";
import { startChildServer } from "./child-server.js";
import { ggufdPresets } from "./ggufd-presets.js";
import { fetchJson } from "./served-models.js";
import type { RunningServer, ServerSettings, Side } from "./server.js";

const program = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/**
 * Compiled ggufd daemon, on the CPU unless a flag overrides that.
 * @param flags appended to those from the settings
 * @param nodeFlags of Node.js, for all of its processes
 */
export function ggufd(
  label: string,
  settings: ServerSettings,
  flags: readonly string[],
  nodeFlags: readonly string[] = [],
): Side {
  return {
    kind: "ggufd",
    label,
    start: (signal) => startGgufd(label, settings, flags, signal, { nodeFlags }),
  };
}

/**
 * Starts one daemon.
 * @param process port (a free one if absent) and flags of Node.js
 */
export async function startGgufd(
  label: string,
  settings: ServerSettings,
  flags: readonly string[],
  signal: AbortSignal,
  { port, nodeFlags = [] }: { readonly port?: number; readonly nodeFlags?: readonly string[] } = {},
): Promise<RunningServer> {
  const daemon = daemonProgram();
  const { several } = settings;
  const presets =
    several && (await ggufdPresets(daemon, several, [...sizeArgs(settings), ...flags]));
  const argsFor = (port: number) => [
    ...nodeFlags,
    daemon,
    ...ggufdArgs(settings, port, presets?.args),
    ...flags,
  ];
  const how = { label, program: process.execPath, argsFor, environmentPrefix: "GGUFD_", versionOf };
  const { files } = presets ?? {};
  return startChildServer(
    { ...how, ...(port !== undefined && { port }), ...(files !== undefined && { files }) },
    signal,
  );
}

/**
 * Path of the compiled daemon.
 * @throws {InputError} if it has not been compiled
 */
export function daemonProgram(): string {
  if (existsSync(program)) return program;
  throw new InputError("dist/main.js: expected the compiled server; run npm run build");
}

/**
 * Command line of ggufd, which detects the purpose of a model from its file.
 * @param models arguments that configure the models
 */
export function ggufdArgs(
  settings: ServerSettings,
  port: number,
  models: readonly string[] = ["--model", settings.modelPath],
): string[] {
  const { adapterPaths = [], projectorPath } = settings;
  return [
    ...["serve", ...models, ...sizeArgs(settings)],
    ...adapterPaths.flatMap((path, id) => ["--lora", `adapter-${id}=${path}`]),
    ...(projectorPath === undefined ? [] : ["--mmproj", projectorPath]),
    ...["--drain-timeout", "0", "--port", String(port)],
  ];
}

/** Arguments that determine the memory of a model. */
function sizeArgs({ slots, contextSize, threads }: ServerSettings): string[] {
  return [
    ...["--parallel", String(slots), "--context-size", String(contextSize)],
    ...["--threads", String(threads), "--gpu", "off"],
  ];
}

/** Version that a server reports at its root. */
export async function versionOf(url: string): Promise<string> {
  const body = (await fetchJson(url)) as { readonly version?: string } | undefined;
  return body?.version ?? "unknown";
}
