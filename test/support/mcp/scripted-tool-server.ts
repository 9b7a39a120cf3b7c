import {
  type CallOptions,
  type ServerTool,
  type ToolResult,
  type ToolServer,
  ToolServerError,
  type ToolServerSpec,
  type ToolServerState,
  type ToolServers,
} from "../../../src/core/tool-servers.js";

type Args = Readonly<Record<string, unknown>>;
type Run = (args: Args, options: CallOptions) => Promise<Partial<ToolResult>>;

/** MCP server in this process, whose tools a test writes. */
export class ScriptedToolServer implements ToolServer {
  readonly spec: ToolServerSpec;
  readonly calls: { readonly tool: string; readonly args: Args }[] = [];
  state: ToolServerState = "connected";
  error: string | undefined;
  tools: readonly ServerTool[];
  readonly #run: Readonly<Record<string, Run>>;

  /** @param tools what each tool does */
  constructor(
    tools: Readonly<Record<string, Run>>,
    spec: ToolServerSpec = { name: "test", transport: "http", url: "https://tools.example/mcp" },
  ) {
    this.spec = spec;
    this.#run = tools;
    this.tools = Object.keys(tools).map((name) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: "object" },
      annotations: { readOnlyHint: name === "read" },
    }));
  }

  async listTools(): Promise<readonly ServerTool[]> {
    if (this.error !== undefined) throw new ToolServerError(this.error);
    return this.tools;
  }

  async call(tool: string, args: Args, options: CallOptions): Promise<ToolResult> {
    this.calls.push({ tool, args });
    const run = this.#run[tool];
    if (run === undefined) throw new ToolServerError("no such tool");
    return { text: "", images: [], isError: false, ...(await run(args, options)) };
  }
}

export function toolServers(...servers: readonly ToolServer[]): ToolServers {
  return { servers, callTimeoutMs: 5_000 };
}
