import { open, stat } from "node:fs/promises";
import { StartupError } from "../../../core/startup-error.js";

/** A model file and its role, which its errors begin with. */
export interface ModelSource {
  readonly role: "model" | "draft-model" | "embedding-model" | "reranking-model";
  readonly path: string;
}

const GGUF_MAGIC = "GGUF";

/**
 * Checks that a path is a GGUF file before the native library opens it.
 * @returns the file's size and modification time, which identify it
 * @throws {StartupError} naming the path and the reason
 */
export async function checkModelFile({
  role,
  path,
}: ModelSource): Promise<{ readonly sizeBytes: number; readonly modifiedMs: number }> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? "there is no such file" : error.message;
    throw new StartupError(`${role} ${path}: ${reason}`, error);
  });
  if (!info.isFile()) throw new StartupError(`${role} ${path}: expected a file, got a folder`);
  const magic = await readStart({ role, path }, GGUF_MAGIC.length);
  if (magic !== GGUF_MAGIC) {
    throw new StartupError(
      `${role} ${path}: not a GGUF file (expected it to begin with "GGUF", got ${JSON.stringify(magic)})`,
    );
  }
  return { sizeBytes: info.size, modifiedMs: info.mtimeMs };
}

async function readStart({ role, path }: ModelSource, length: number): Promise<string> {
  const file = await open(path).catch((error: Error) => {
    throw new StartupError(`${role} ${path}: ${error.message}`, error);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}
