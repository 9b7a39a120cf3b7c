import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ToolServerError, type ToolServerSpec } from "../core/tool-servers.js";

/** Maximum bytes of one message of a server. A larger one ends its connection. */
const MAX_MESSAGE_BYTES = 16 * 2 ** 20;

/** Maximum characters of a logged line. */
const MAX_LINE_CHARACTERS = 1000;

/**
 * Opens the transport of a server. A command runs without a shell, and with a minimal environment
 * (`PATH`, `HOME`, `USER`, `LOGNAME`, `SHELL`, `TERM`).
 * @param onLine receives the lines of the command's standard error
 */
export function openTransport(spec: ToolServerSpec, onLine: (line: string) => void): Transport {
  if (spec.transport === "http") {
    const url = new URL(spec.url);
    // The class declares its optional fields without `undefined`.
    return new StreamableHTTPClientTransport(url, { fetch: fetchBounded }) as Transport;
  }
  const { command, args } = spec;
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    stderr: "pipe",
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  transport.stderr?.on("data", splitLines(onLine));
  return transport;
}

/** Splits output into lines. Parts of a longer line count as lines. */
export function splitLines(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARACTERS) {
      lines.push(rest);
      rest = "";
    }
    for (const line of lines) {
      const shown = line.trim().slice(0, MAX_LINE_CHARACTERS);
      if (shown !== "") onLine(shown);
    }
  };
}

/** Fetches with a bounded response body. Streams that a server opens by itself are not bounded. */
async function fetchBounded(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (init?.method !== "POST" || response.body === null) return response;
  let bytes = 0;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes <= MAX_MESSAGE_BYTES) controller.enqueue(chunk);
        else controller.error(new ToolServerError(`a message exceeds ${MAX_MESSAGE_BYTES} bytes`));
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(bounded, { status, statusText, headers });
}
