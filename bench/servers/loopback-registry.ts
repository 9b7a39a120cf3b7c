import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A registry of models as Ollama has it, on this machine. */
export interface LoopbackRegistry {
  /** The name by which `/api/pull` fetches the model with this number. */
  nameOf(number: number): string;
  close(): void;
}

/** Downloads take several reads, and little of anybody's time. */
const MODEL_BYTES = 2 ** 20;
const MANIFEST = /\/manifests\/(\d+)$/;
const BLOB = /\/blobs\/sha256:([0-9a-f]{64})$/;

/** Starts a registry that has a model for every number: a file that only begins as a model does. */
export async function startLoopbackRegistry(): Promise<LoopbackRegistry> {
  /** By their digests: those whose manifest somebody has asked for, until they are fetched. */
  const files = new Map<string, Buffer>();
  const server = createServer(({ url = "" }, response) => {
    const [, number] = MANIFEST.exec(url) ?? [];
    if (number !== undefined) {
      const file = modelFile(Number(number));
      const digest = createHash("sha256").update(file).digest("hex");
      files.set(digest, file);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(manifestOf(digest, file.length)));
      return;
    }
    const [, digest = ""] = BLOB.exec(url) ?? [];
    const file = files.get(digest);
    files.delete(digest);
    if (file === undefined) response.statusCode = 404;
    response.end(file);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    nameOf: (number) => `127.0.0.1:${port}/bench/pulled:${number}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function modelFile(number: number): Buffer {
  const file = Buffer.alloc(MODEL_BYTES, `${number} `);
  file.write("GGUF");
  file.writeUInt32LE(3, 4);
  return file;
}

function manifestOf(digest: string, size: number) {
  return {
    schemaVersion: 2,
    mediaType: "application/vnd.docker.distribution.manifest.v2+json",
    layers: [{ mediaType: "application/vnd.ollama.image.model", digest: `sha256:${digest}`, size }],
  };
}
