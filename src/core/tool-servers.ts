/** Configured MCP server: its name, and its URL or the command that starts it. */
export type ToolServerSpec = { readonly name: string } & (
  | { readonly transport: "http"; readonly url: string }
  | { readonly transport: "stdio"; readonly command: string; readonly args: readonly string[] }
);

/** Tool of an MCP server. */
export interface ServerTool {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of the arguments object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Hints of the server, such as `readOnlyHint`; not verified. */
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** Image in the result of a call. */
export interface ResultImage {
  readonly mimeType: string;
  /** Content in base64. */
  readonly data: string;
}

/** Result of a call, within the limits of a result. */
export interface ToolResult {
  readonly text: string;
  readonly images: readonly ResultImage[];
  /** Whether the tool reports that it failed; the text is its message. */
  readonly isError: boolean;
}

/** Failure of a server or a call. Its message is safe to send to clients that may call tools. */
export class ToolServerError extends Error {
  override readonly name = "ToolServerError";
}

/** Limits of one call. */
export interface CallOptions {
  /** Cancels the call. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export type ToolServerState = "connecting" | "connected" | "disconnected";

/** MCP server, which is connected in the background. */
export interface ToolServer {
  readonly spec: ToolServerSpec;
  readonly state: ToolServerState;
  /**
   * Lists the server's tools, waiting for its connection if necessary.
   * @throws {ToolServerError}
   */
  listTools(): Promise<readonly ServerTool[]>;
  /**
   * Calls a tool. A call is never repeated.
   * @throws {ToolServerError} if the call fails; the signal's reason, if it was aborted
   */
  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<ToolResult>;
}

/** MCP servers that clients may use, and the time limit of one call. */
export interface ToolServers {
  readonly servers: readonly ToolServer[];
  readonly callTimeoutMs: number;
}

/** No MCP servers: tools of the type `mcp` do not run here. */
export const noToolServers: ToolServers = { servers: [], callTimeoutMs: 0 };
