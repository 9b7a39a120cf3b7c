/**
 * The last step of the build, run from the folder that the compiler has written: completes it, and puts it in the place
 * that is named, at once. What is there already and the same stays: a daemon that runs from it goes on reading its files.
 */
import { chmod, cp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { descriptionFormats, printDescription } from "./api/description/printed-description.js";
import { describeApi, descriptionFile } from "./serve/routes.js";
import { version } from "./version.js";

/** The native addons, ready-built and as sources, which the compiler does not copy. */
const NATIVE = "engine/native/companion";
const NATIVE_FOLDERS = ["prebuilt", "native", "media", "decoder"] as const;
const EXECUTABLE = 0o755;

const built = fileURLToPath(new URL(".", import.meta.url)).replace(/[\\/]$/, "");
const [place = "dist"] = process.argv.slice(2);

for (const folder of NATIVE_FOLDERS) {
  await cp(join("src", NATIVE, folder), join(built, NATIVE, folder), { recursive: true });
}
const document = describeApi(version);
for (const format of descriptionFormats) {
  await writeFile(descriptionFile(format), printDescription(document, format));
}
await compressPage(join(built, "page", "built"));
await chmod(join(built, "main.js"), EXECUTABLE);

if (await areEqual(built, place)) await remove(built);
else await replace(place, built);

/** Writes each file of the page as it is sent beside it. What gets no smaller is sent as it is. */
async function compressPage(folder: string): Promise<void> {
  for (const file of await filesOf(folder)) {
    const path = join(folder, file);
    const content = await readFile(path);
    const variants = { br: brotliCompressSync(content), gz: gzipSync(content, { level: 9 }) };
    for (const [extension, variant] of Object.entries(variants)) {
      if (variant.length < content.length) await writeFile(`${path}.${extension}`, variant);
    }
  }
}

async function areEqual(one: string, other: string): Promise<boolean> {
  const [files, others] = await Promise.all([filesOf(one), filesOf(other)]);
  if (files.join() !== others.join()) return false;
  for (const file of files) {
    const [content, otherContent] = await Promise.all([
      readFile(join(one, file)),
      readFile(join(other, file)),
    ]);
    if (!content.equals(otherContent)) return false;
  }
  return true;
}

/** Paths of the files in a folder, in order; none where there is no folder. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
}

async function replace(place: string, built: string): Promise<void> {
  const former = `${built}.former`;
  await rename(place, former).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rename(built, place);
  await remove(former);
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
