/**
 * Builds the daemon (`npm run build [-- FOLDER]`): bundled programs, the web UI, the native addons and the API
 * description. Does nothing if the sources are those of the last build. `npm run types` checks the types.
 */
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { Plugin } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "src");
const [target = join(root, "dist")] = process.argv.slice(2);

/** File of a build that holds the fingerprint of its sources. */
const STAMP = ".sources";
/** Programs that run as a process or a thread; each is built to the path of its source. */
const PROGRAM = /(^main|-main|watch-daemon)\.ts$/;
/** Packages that read files next to their code, so they are not bundled. */
const UNBUNDLED = [
  "node-llama-cpp/commands",
  "@node-llama-cpp/*",
  "@reflink/reflink",
  "ipull",
  "libsql",
  "sharp",
  "supports-color",
  "swagger-ui-dist",
  "sorted-btree",
];
const NATIVE = "engine/native/companion";
/** Folders of native addons, ready-built and as sources. */
const NATIVE_FOLDERS = ["prebuilt", "native", "media", "decoder", "rpc"] as const;
const EXECUTABLE = 0o755;

/** Placeholder for the path from a bundled file to the folder of the build. */
const TO_BUILD = "__TO_BUILD__";
/**
 * First lines of each bundled file: the location of the build, and the names that CommonJS packages expect. No bundled
 * package reads files through `__filename` or `__dirname`.
 */
const BANNER = `import { createRequire as createBundleRequire } from "node:module";
import { fileURLToPath as bundlePath } from "node:url";
const bundleRoot = new URL("${TO_BUILD}/", import.meta.url);
const require = createBundleRequire(import.meta.url);
const bundledFilename = bundlePath(import.meta.url);
const bundledDirname = bundlePath(bundleRoot);`;

/** Hashes the paths, sizes and modification times of the files that a build reads. */
async function readFingerprint(): Promise<string> {
  const sources = (await listFiles(source)).map((file) => join("src", file));
  const files = [...sources, "package.json", "package-lock.json"];
  const states = files.map(async (file) => {
    const { size, mtimeMs } = await stat(join(root, file));
    return `${file} ${size} ${mtimeMs}\n`;
  });
  return createHash("sha256")
    .update((await Promise.all(states)).join(""))
    .digest("hex");
}

async function buildInto(folder: string): Promise<void> {
  await Promise.all([bundlePrograms(folder), buildPage(join(folder, "page", "built"))]);
  for (const name of NATIVE_FOLDERS) {
    await cp(join(source, NATIVE, name), join(folder, NATIVE, name), { recursive: true });
  }
  await describeApiIn(folder);
  await chmod(join(folder, "main.js"), EXECUTABLE);
  await writeFile(join(folder, STAMP), fingerprint);
}

/** Bundles each program into one file; code that several programs share goes into chunks. */
async function bundlePrograms(folder: string): Promise<void> {
  const { build } = await import("esbuild");
  const programs = (await listFiles(source)).filter((file) => PROGRAM.test(file));
  const { outputFiles, metafile } = await build({
    entryPoints: programs.map((file) => join(source, file)),
    outbase: source,
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: true,
    external: UNBUNDLED,
    banner: { js: BANNER },
    define: { __filename: "bundledFilename", __dirname: "bundledDirname" },
    metafile: true,
    write: false,
    plugins: [sourceLocations, onlyUsedModules],
  });
  await expectRuntimePackages(Object.keys(metafile.inputs));
  for (const { path, text } of outputFiles) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text.replace(TO_BUILD, relative(dirname(path), folder) || "."));
  }
}

/** Lets a source file find the files next to it, wherever its code is bundled. */
const sourceLocations: Plugin = {
  name: "source-locations",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (!path.startsWith(source)) return undefined;
      const compiled = relative(source, path).replace(/\.ts$/, ".js");
      const location = `new URL(${JSON.stringify(compiled)}, bundleRoot).href`;
      const text = await readFile(path, "utf8");
      return { contents: text.replaceAll("import.meta.url", location), loader: "ts" };
    });
  },
};

/**
 * Bundles only the modules of node-llama-cpp and Zod that are used: all of node-llama-cpp takes 0.45 s to import, and
 * Zod has its messages in 50 languages. Modules of node-llama-cpp find the files of the installed package.
 */
const onlyUsedModules: Plugin = {
  name: "only-used-modules",
  setup({ onLoad, onResolve }) {
    const binding = fileURLToPath(new URL(".", import.meta.resolve("node-llama-cpp")));
    onResolve({ filter: /^(node-llama-cpp$|\.)/ }, ({ path, importer }) => {
      if (path === "node-llama-cpp") {
        return { path: join(binding, "index.js"), sideEffects: false };
      }
      if (!importer.startsWith(binding)) return undefined;
      return { path: join(dirname(importer), path), sideEffects: false };
    });
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (/\/zod\/v4\/locales\/index\.js$/.test(path)) {
        return { contents: 'export { default as en } from "./en.js";', resolveDir: dirname(path) };
      }
      if (!path.startsWith(binding)) return undefined;
      // This test loads the library in another process, although ggufd's engine is a separate
      // process already.
      if (path.endsWith("/testBindingBinary.js")) {
        return { contents: "export const testBindingBinary = async () => true;" };
      }
      const module = JSON.stringify(relative(binding, path));
      const location = `new URL(${module}, import.meta.resolve("node-llama-cpp")).href`;
      const text = await readFile(path, "utf8");
      return { contents: text.replaceAll("import.meta.url", location), loader: "js" };
    });
  },
};

/** @throws {Error} if a file belongs to a package that is installed for development only */
async function expectRuntimePackages(files: readonly string[]): Promise<void> {
  const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  for (const file of files) {
    const name = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
    if (name !== undefined && packages[name]?.dev) {
      throw new Error(`${name} is imported at run time, but is a development dependency`);
    }
  }
}

/** Builds the web UI, each file also compressed unless that makes it larger. */
async function buildPage(folder: string): Promise<void> {
  const { build } = await import("vite");
  const configFile = join(source, "page", "vite.config.ts");
  await build({ configFile, logLevel: "warn", build: { outDir: folder } });
  const compressions = { br: promisify(brotliCompress), gz: promisify(gzip) };
  for (const file of await listFiles(folder)) {
    const content = await readFile(join(folder, file));
    for (const [extension, compress] of Object.entries(compressions)) {
      const compressed = await compress(content);
      if (compressed.length < content.length) {
        await writeFile(join(folder, `${file}.${extension}`), compressed);
      }
    }
  }
}

/** Writes the OpenAPI description in each format. */
async function describeApiIn(folder: string): Promise<void> {
  const { describeApi } = await import("./serve/routes.js");
  const { descriptionFormats, printDescription } = await import(
    "./api/description/printed-description.js"
  );
  const { version } = await import("./version.js");
  const document = describeApi(version);
  for (const format of descriptionFormats) {
    await writeFile(join(folder, `openapi.${format}`), printDescription(document, format));
  }
}

/** Returns the paths of the files in a folder, sorted. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
}

/** Moves a folder to a path; processes that use a former folder there keep their open files. */
async function replace(path: string, folder: string): Promise<void> {
  const formerPath = `${folder}.former`;
  await rename(path, formerPath).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rename(folder, path);
  await remove(formerPath);
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

const fingerprint = await readFingerprint();
if ((await readFile(join(target, STAMP), "utf8").catch(() => undefined)) !== fingerprint) {
  const freshFolder = join(root, `.dist-${process.pid}`);
  try {
    await buildInto(freshFolder);
    await replace(target, freshFolder);
  } finally {
    await remove(freshFolder);
  }
}
