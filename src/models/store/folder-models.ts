import { posix } from "node:path";
import { readGgufName } from "./gguf-name.js";
import { type FileGroup, groupFiles } from "./group-files.js";
import type { NamedFiles, StoredFile } from "./stored-model.js";
import type { FoundFile } from "./walk-folder.js";

/** Groups the files of a folder into models, named after their files. */
export function groupIntoModels(found: readonly FoundFile[]): readonly NamedFiles[] {
  return groupFiles("folder", found).map((group) => {
    const prefix = readGgufName(group.files[0].path)?.prefix ?? "";
    const name = posix.basename(prefix);
    const path = group.files[0].path;
    const aliases = new Set([`${name}.gguf`, prefix, path].filter((alias) => alias !== name));
    return { name, aliases: [...aliases], ...toStoredFiles(group), adapters: [] };
  });
}

/** Converts a group of found files to stored files. */
export function toStoredFiles({
  files: [first, ...others],
  projector,
}: FileGroup<FoundFile>): Pick<NamedFiles, "files" | "projector"> {
  return {
    files: [first.file, ...others.map(({ file }): StoredFile => file)],
    projector: projector?.file,
  };
}
