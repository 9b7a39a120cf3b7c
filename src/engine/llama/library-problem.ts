import { createRequire } from "node:module";
import { arch, constants, platform } from "node:os";
import { basename, dirname, join } from "node:path";
import { reasonOf } from "../../core/reason-of.js";

const require = createRequire(import.meta.url);

/**
 * Why node-llama-cpp's ready-built library for a backend cannot be loaded, which the package does not tell: it is not
 * installed, or a library that it needs is not. `undefined`: neither is found to be so.
 *
 * It opens the library, which must not happen in a process that is to load another one.
 * @param backend as the package's name ends: `cuda`, `vulkan`, `metal`
 */
export function libraryProblem(backend: string): string | undefined {
  const name = `${platformName()}-${arch()}-${backend}`;
  const folder = packageFolder(`@node-llama-cpp/${name}`);
  if (folder === undefined) return `the package @node-llama-cpp/${name} is not installed`;
  if (platform() !== "linux") return undefined;
  const file = join(folder, "bins", name, `libggml-${backend}.so`);
  try {
    process.dlopen({ exports: {} }, file, constants.dlopen.RTLD_LAZY);
    return undefined;
  } catch (error) {
    // A library that is none of Node's is refused after it has been opened.
    const [, missing] = /^(lib[^:]+): cannot open shared object file/.exec(reasonOf(error)) ?? [];
    return missing === undefined ? undefined : missingLibrary(missing, basename(file));
  }
}

function missingLibrary(missing: string, file: string): string {
  return missing === file
    ? `${file} is missing`
    : `${file} needs ${missing}, which is not installed`;
}

function platformName(): string {
  return { darwin: "mac", win32: "win" }[platform() as string] ?? platform();
}

function packageFolder(name: string): string | undefined {
  try {
    return dirname(dirname(require.resolve(name)));
  } catch {
    return undefined;
  }
}
