import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema,
  ListToolsResultSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { formatReason } from "../core/format-reason.js";
import { settlesWithin } from "../core/settles-within.js";
import {
  type CallOptions,
  type ServerTool,
  type ToolResult,
  type ToolServer,
  ToolServerError,
  type ToolServerSpec,
  type ToolServerState,
} from "../core/tool-servers.js";
import { openTransport } from "./open-transport.js";
import { toToolResult } from "./tool-result.js";

/** Time to connect, in milliseconds: `npx` may download a command first. */
const CONNECTING_LIMIT_MS = 60_000;
/** Time that a request waits for the connection, in milliseconds. */
const WAITING_LIMIT_MS = 10_000;
/** Time to list tools, in milliseconds. */
const LISTING_LIMIT_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const MAX_TOOLS = 1_000;
/** Maximum pages of a list of tools. */
const MAX_PAGES = 100;
/** Maximum characters of a reason that a server or the system gives. */
const MAX_REASON_CHARACTERS = 500;

/** Log of the servers. */
export interface McpLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface McpServerOptions {
  readonly log: McpLog;
  /** Version that is reported to the server. */
  readonly version: string;
  /** First pause before connecting again, in milliseconds; it doubles with each failure. */
  readonly firstPauseMs?: number;
  /** Time that a request waits for the connection, in milliseconds. */
  readonly waitingLimitMs?: number;
}

/** Connection to an MCP server, which is opened again after it has ended. */
export class McpServer implements ToolServer {
  readonly spec: ToolServerSpec;
  readonly #options: McpServerOptions;
  #state: ToolServerState = "disconnected";
  /** Why the last attempt to connect failed, or the connection ended. */
  #error: string | undefined;
  /** Current connection, or attempt to connect. */
  #connection: Promise<Client> | undefined;
  /** Client of the current connection or attempt. */
  #client: Client | undefined;
  #tools: Promise<readonly ServerTool[]> | undefined;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(spec: ToolServerSpec, options: McpServerOptions) {
    this.spec = spec;
    this.#options = options;
  }

  get state(): ToolServerState {
    return this.#state;
  }

  /** Connects in the background. */
  start(): void {
    this.#state = "connecting";
    this.#connection = this.#connect();
    this.#connection.catch(() => undefined);
  }

  async listTools(): Promise<readonly ServerTool[]> {
    const client = await this.#awaitConnection();
    this.#tools ??= this.#readTools(client);
    return this.#tools;
  }

  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    { signal, timeoutMs }: CallOptions,
  ): Promise<ToolResult> {
    const client = await this.#awaitConnection(signal);
    signal.throwIfAborted();
    try {
      const result = await client.request(
        { method: "tools/call", params: { name: tool, arguments: { ...args } } },
        CallToolResultSchema,
        // The SDK keeps its listener of the signal after the call.
        { signal: AbortSignal.any([signal]), timeout: timeoutMs, maxTotalTimeout: timeoutMs },
      );
      return toToolResult(result);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#toServerError(client, error);
    }
  }

  /** Ends the connection and a started command. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#client?.close();
  }

  /**
   * Returns the connection, waiting for an attempt to connect. Fails at once while the next attempt
   * is not due.
   */
  async #awaitConnection(signal?: AbortSignal): Promise<Client> {
    const connection = this.#connection;
    const { waitingLimitMs = WAITING_LIMIT_MS } = this.#options;
    if (connection && (await settlesWithin(connection, waitingLimitMs, signal))) return connection;
    signal?.throwIfAborted();
    throw this.#createUnavailableError();
  }

  async #connect(): Promise<Client> {
    const { log, version } = this.#options;
    const { name } = this.spec;
    const client = new Client({ name: "ggufd", version });
    this.#client = client;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      this.#tools = undefined;
    });
    // Also called for output that is not a message, such as text that a command prints.
    client.onerror = (error) => log.info({ mcp: name, reason: shorten(error) }, "MCP error");
    try {
      const logLine = (line: string) => log.info({ mcp: name, line }, "MCP server");
      await client.connect(openTransport(this.spec, logLine), { timeout: CONNECTING_LIMIT_MS });
    } catch (error) {
      await client.close().catch(() => undefined);
      this.#onEnded(shorten(error));
      throw this.#createUnavailableError();
    }
    client.onclose = () => this.#onEnded("the connection ended");
    this.#state = "connected";
    this.#error = undefined;
    this.#failures = 0;
    return client;
  }

  /** Schedules the next attempt to connect. */
  #onEnded(reason: string): void {
    this.#connection = undefined;
    this.#tools = undefined;
    this.#state = "disconnected";
    this.#error = reason;
    if (this.#isClosed) return;
    const { log, firstPauseMs = FIRST_PAUSE_MS } = this.#options;
    log.warn({ mcp: this.spec.name, reason }, "the MCP server is not connected");
    const pauseMs = Math.min(LONGEST_PAUSE_MS, firstPauseMs * 2 ** this.#failures++);
    this.#timer = setTimeout(() => this.start(), pauseMs).unref();
  }

  async #readTools(client: Client): Promise<readonly ServerTool[]> {
    try {
      const tools: ServerTool[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const result = await client.request(
          { method: "tools/list", params: { ...(cursor !== undefined && { cursor }) } },
          ListToolsResultSchema,
          { timeout: LISTING_LIMIT_MS },
        );
        tools.push(...result.tools.map(toServerTool));
        cursor = result.nextCursor;
        if (cursor === undefined || tools.length >= MAX_TOOLS) break;
      }
      return tools.slice(0, MAX_TOOLS);
    } catch (error) {
      this.#tools = undefined;
      throw this.#toServerError(client, error);
    }
  }

  /** Converts an error of a request. A connection that has failed is closed and opened again. */
  #toServerError(client: Client, error: unknown): ToolServerError {
    if (isConnectionError(error)) void client.close().catch(() => undefined);
    return new ToolServerError(shorten(error));
  }

  #createUnavailableError(): ToolServerError {
    const reason = this.#error ?? "it is still connecting";
    return new ToolServerError(`MCP server '${this.spec.name}' is not available: ${reason}`);
  }
}

/** Whether an HTTP server is unreachable, or no longer knows the session. */
function isConnectionError(error: unknown): boolean {
  // `fetch` throws a TypeError if there is no response.
  return error instanceof StreamableHTTPError || error instanceof TypeError;
}

interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

function toServerTool({ name, description, inputSchema, annotations }: ListedTool): ServerTool {
  return {
    name,
    inputSchema,
    ...(description !== undefined && { description }),
    ...(annotations !== undefined && { annotations }),
  };
}

/** Returns an error's message, without the prefix of the SDK and at a bounded length. */
function shorten(error: unknown): string {
  const reason = formatReason(error).replace(/^MCP error -?\d+: /, "");
  return reason.length <= MAX_REASON_CHARACTERS
    ? reason
    : `${reason.slice(0, MAX_REASON_CHARACTERS)}…`;
}
