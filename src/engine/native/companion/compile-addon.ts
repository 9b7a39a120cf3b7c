import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { availableParallelism, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { StartupError } from "../../../core/startup-error.js";
import { CPP_COMPILERS, canRun, checkTools, type Tool } from "../build-tools.js";
import { readLibraryVersion } from "../llama-backend.js";
import type { NativeLog } from "../native-errors.js";
import {
  type AddonFolders,
  type AddonName,
  findAddonFile,
  findBindingFolder,
  sourceFolder,
} from "./addon-files.js";

const require = createRequire(import.meta.url);

const tools = [
  { name: "git", programs: ["git"] },
  { name: "a C++ compiler", programs: CPP_COMPILERS },
] as const satisfies readonly Tool[];

/** How an addon is compiled, in addition to the common flags. */
interface Recipe {
  /** Paths to check out from llama.cpp's repository. */
  readonly checkout: readonly string[];
  /** Header folders in the checkout. */
  readonly includeFolders: readonly string[];
  readonly flags: readonly string[];
  /** The addon's own sources, relative to its folder. */
  readonly sources: readonly string[];
  /** Returns the llama.cpp sources that are part of the addon. */
  readonly llamaSources: (llama: string) => Promise<readonly string[]>;
}

const HEADERS = ["include", "ggml/include"] as const;

const recipes: Readonly<Record<AddonName, Recipe>> = {
  companion: {
    checkout: [...HEADERS, "ggml/src/ggml-backend-impl.h"],
    includeFolders: [...HEADERS, "ggml/src"],
    flags: ["-ftree-vectorize", "-fopenmp-simd", "-fno-math-errno", "-fno-trapping-math"],
    sources: ["companion.cpp"],
    llamaSources: async () => [],
  },
  media: {
    checkout: [...HEADERS, "tools/mtmd", "vendor"],
    includeFolders: [...HEADERS, "tools/mtmd", "vendor"],
    flags: ["-DNDEBUG"],
    sources: ["projector.cpp"],
    llamaSources: prepareMtmd,
  },
  decoder: {
    checkout: ["vendor/miniaudio", "vendor/stb"],
    includeFolders: ["vendor"],
    flags: ["-DNDEBUG"],
    sources: ["decoder.cpp", "decoded_file.cpp"],
    llamaSources: async () => [],
  },
  rpc: {
    checkout: [
      "ggml/include",
      ...["impl.h", "backend-impl.h", "rpc"].map((name) => `ggml/src/ggml-${name}`),
    ],
    includeFolders: ["ggml/include", "ggml/src"],
    flags: ["-DNDEBUG"],
    sources: ["rpc.cpp"],
    llamaSources: prepareRpc,
  },
};

/** Flags for shared libraries whose undefined functions are resolved in the loading process. */
const linkFlags =
  process.platform === "darwin" ? ["-bundle", "-undefined", "dynamic_lookup"] : ["-shared"];

/**
 * Compiles an addon for this machine unless the cache folder already contains it. Compiling takes
 * up to a minute, for libmtmd several minutes.
 * @throws {StartupError} git or a compiler is missing, or the compiler failed
 */
export async function ensureAddon(
  addon: AddonName,
  log: NativeLog,
  places?: AddonFolders,
): Promise<void> {
  const file = findAddonFile(addon, places);
  if (existsSync(file)) return;
  checkTools(
    `compiling the native ${addon}, which is not prebuilt for ${process.platform} on ${process.arch},`,
    tools,
  );
  // A warning, so that it is shown by default: the start waits for the compiler.
  log("warn", `compiling the native ${addon} for this machine, once: up to a minute …`);
  const folder = await mkdtemp(join(tmpdir(), "ggufd-native-"));
  try {
    await compile(addon, folder, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  log("info", `compiled the native ${addon}: ${file}`);
}

async function compile(addon: AddonName, folder: string, file: string): Promise<void> {
  const recipe = recipes[addon];
  const llama = join(folder, "llama.cpp");
  await run("git", ["clone", "--quiet", "--no-checkout", bundleFile(), llama]);
  await run("git", ["-C", llama, "checkout", "--quiet", "HEAD", "--", ...recipe.checkout]);
  const compiler = process.env.CXX || CPP_COMPILERS.find(canRun) || CPP_COMPILERS[0];
  const flags = [
    ...["-std=c++17", "-O2", "-fPIC", "-fexceptions", "-fvisibility=hidden", "-w"],
    ...["-DNAPI_VERSION=8", "-DNAPI_CPP_EXCEPTIONS", "-DBUILDING_NODE_EXTENSION"],
    `-DGGUFD_BUILT_FOR="${await readLibraryVersion()}"`,
    '-DGGUFD_SOURCES="compiled here"',
    ...recipe.flags,
    ...listIncludeFolders(recipe, llama).flatMap((included) => ["-I", included]),
  ];
  const ownSources = recipe.sources.map((source) => join(sourceFolder(addon), source));
  const sources = [...ownSources, ...(await recipe.llamaSources(llama))];
  const objects: string[] = [];
  const pendingSources = sources.values();
  const compileNext = async () => {
    for (const source of pendingSources) {
      const object = join(folder, `${objects.length}-${basename(source)}.o`);
      objects.push(object);
      await run(compiler, [...flags, "-c", source, "-o", object]);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, compileNext));
  const linkedFile = join(folder, "addon.node");
  await run(compiler, [...linkFlags, ...objects, "-o", linkedFile]);
  await mkdir(dirname(file), { recursive: true });
  // Another process may compile the same file; renaming replaces it atomically.
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, await readFile(linkedFile));
  await rename(temporary, file);
}

function listIncludeFolders({ includeFolders }: Recipe, llama: string): readonly string[] {
  const { include_dir: nodeApi } = require("node-api-headers") as { readonly include_dir: string };
  return [
    nodeApi,
    dirname(require.resolve("node-addon-api")),
    join(findBindingFolder(), "llama", "addon"),
    ...(["companion", "media"] as const).map(sourceFolder),
    ...includeFolders.map((folder) => join(llama, folder)),
  ];
}

/** Returns the bundle of llama.cpp's repository, at the commit that the binding was built from. */
function bundleFile(): string {
  return join(findBindingFolder(), "llama", "gitRelease.bundle");
}

/** Prepares libmtmd and returns its sources. */
async function prepareMtmd(llama: string): Promise<readonly string[]> {
  const mtmd = join(llama, "tools", "mtmd");
  const pixtral = join(mtmd, "models", "pixtral.cpp");
  const text = await readFile(pixtral, "utf8");
  // See build.sh: multiplying uninitialised memory by zero may yield NaN.
  await writeFile(
    pixtral,
    text.replace(/ggml_scale\(ctx0, tok, 0\.0\);/, "ggml_fill(ctx0, tok, 0.0f);"),
  );
  const models = (await readdir(join(mtmd, "models"))).filter((name) => name.endsWith(".cpp"));
  return [
    ...["mtmd", "mtmd-audio", "mtmd-image", "mtmd-helper", "clip"].map((name) => `${name}.cpp`),
    ...models.map((name) => join("models", name)),
  ].map((name) => join(mtmd, name));
}

/** Makes the tensor cache of a worker write files atomically; `rpc.cpp` includes the sources. */
async function prepareRpc(llama: string): Promise<readonly string[]> {
  const server = join(llama, "ggml", "src", "ggml-rpc", "ggml-rpc.cpp");
  const text = await readFile(server, "utf8");
  // See build.sh: a file written in part would be taken for a complete tensor.
  await writeFile(
    server,
    text.replace(
      "std::ofstream ofs(cache_file, std::ios::binary);",
      "ggufd::CacheFile ofs(cache_file);",
    ),
  );
  return [];
}

/** @throws {StartupError} with the end of the program's output */
async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  let errorOutput = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errorOutput = `${errorOutput}${text}`.slice(-KEPT_CHARACTERS);
  });
  const [code, signal] = await once(child, "close");
  if (code === 0) return;
  throw new StartupError(
    `${program} ended with ${signal ?? code}: ${errorOutput.trim().replaceAll(/\s*\n\s*/g, "; ")}`,
  );
}

/** Characters of a program's output that are kept: the last errors. */
const KEPT_CHARACTERS = 2000;
