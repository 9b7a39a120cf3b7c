import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { listening, openRaw, parseRaw, type RawConnection } from "../support/raw-connection.js";
import { buildLoadingApp } from "../support/test-app.js";

const BODY_BYTES = 32 * 2 ** 20;
const CHUNK = Buffer.alloc(2 ** 16, " ");
const post = (path: string, bytes: number) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;

/** Sends a body of {@link BODY_BYTES} and what follows it, until the connection is closed. */
async function sendBody({ socket, closed }: RawConnection, rest = ""): Promise<void> {
  for (let left = BODY_BYTES; left > 0 && !socket.destroyed; left -= CHUNK.length) {
    const chunk = left > CHUNK.length ? CHUNK : Buffer.concat([CHUNK, Buffer.from(rest)]);
    if (!socket.write(chunk)) await Promise.race([once(socket, "drain").catch(() => 0), closed]);
  }
}

describe("a body that is too large", () => {
  it.each(["/v1/chat/completions", "/v1/embeddings", "/v1/todos"])(
    "of %s is refused, although its client sends all of it before it reads the answer",
    async (path) => {
      const port = await listening(buildLoadingApp().app);
      const connection = await openRaw(port, post(path, BODY_BYTES));
      connection.socket.pause();
      await sendBody(connection);
      connection.socket.resume();
      const answer = parseRaw(await connection.closed);
      expect(answer.status).toBe(413);
      expect(answer.headers.connection).toBe("close");
    },
  );

  it("is discarded, and what follows it on the connection is no request", async () => {
    const { app } = buildLoadingApp();
    const paths: string[] = [];
    app.addHook("onRequest", async ({ url }) => void paths.push(url));
    const port = await listening(app);
    const connection = await openRaw(port, post("/v1/chat/completions", BODY_BYTES));
    connection.socket.pause();
    await sendBody(connection, "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n");
    connection.socket.resume();
    expect((await connection.closed).match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413"]);
    expect(paths).toEqual(["/v1/chat/completions"]);
  });
});
