import {
  accepted,
  cases,
  choice,
  flag,
  type LlamaServerOption,
  refused,
  type SettingEffect,
  setting,
  toggle,
  value,
} from "./option.js";

/** llama-server takes an address with this ending as the path of a Unix socket. */
const LISTENING: SettingEffect = {
  kind: "setting",
  flag: "--host",
  prefix: "unix:",
  prefixed: /^(?!unix:)[^,]*\.sock$/,
};

const LEVELS = {
  "0": "error",
  "1": "error",
  "2": "warn",
  "3": "info",
  "4": "debug",
  "5": "debug",
} as const;

const json = accepted("the log has one JSON object per line, with the time");
const colours = accepted("the log has no colours");
const pageSettings = refused("the settings of the web UI are kept in the browser");
const clientTools = refused("clients run tools; the server does not");
const mcpServers = refused("configure MCP servers with --mcp");
const noServerTools = accepted("the server runs no tools");
const NAMED_CORS = refused("--cors-origin lists the pages that may call the API");
const anyOf = (what: string) =>
  cases({ "*": accepted(`pages may use all ${what} of the API`) }, NAMED_CORS);

/** Options of the HTTP server, its keys, its web UI and its log. */
export const serverOptions: readonly LlamaServerOption[] = [
  flag("-h --help --usage", { kind: "program" }),
  flag("--version", { kind: "program" }),
  flag("--completion-bash", refused("shell completions are not generated")),
  value("--host", LISTENING, "LLAMA_ARG_HOST"),
  value("--port", setting("--port"), "LLAMA_ARG_PORT"),
  flag(
    "--reuse-port",
    refused("a port belongs to one server; a proxy spreads requests over several"),
    "LLAMA_ARG_REUSE_PORT",
  ),
  value("--path", refused("a web server or a proxy serves other files"), "LLAMA_ARG_STATIC_PATH"),
  value("--cors-origins", { ...setting("--cors-origin"), takes: "each" }, "LLAMA_ARG_CORS_ORIGINS"),
  value("--cors-methods", anyOf("methods"), "LLAMA_ARG_CORS_METHODS"),
  value("--cors-headers", anyOf("headers"), "LLAMA_ARG_CORS_HEADERS"),
  toggle(
    "--cors-credentials",
    "--no-cors-credentials",
    {
      on: refused("keys are sent in the Authorization header, never in cookies"),
      off: accepted("keys are sent in the Authorization header, never in cookies"),
    },
    "LLAMA_ARG_CORS_CREDENTIALS",
  ),
  value("--api-prefix", setting("--api-prefix"), "LLAMA_ARG_API_PREFIX"),
  toggle(
    "--ui --webui",
    "--no-ui --no-webui",
    { on: accepted("the web UI is served unless --no-page is given"), off: choice("--no-page") },
    "LLAMA_ARG_UI",
  ),
  value("--ui-config --webui-config", pageSettings, "LLAMA_ARG_UI_CONFIG"),
  value("--ui-config-file --webui-config-file", pageSettings, "LLAMA_ARG_UI_CONFIG_FILE"),
  toggle(
    "--ui-mcp-proxy --webui-mcp-proxy",
    "--no-ui-mcp-proxy --no-webui-mcp-proxy",
    { on: clientTools, off: noServerTools },
    "LLAMA_ARG_UI_MCP_PROXY",
  ),
  value("--tools", clientTools, "LLAMA_ARG_TOOLS"),
  value("--tools-runtime", clientTools, "LLAMA_ARG_TOOLS_RUNTIME"),
  value("--mcp-servers-config", mcpServers, "LLAMA_ARG_MCP_SERVERS_CONFIG"),
  value("--mcp-servers-json", mcpServers, "LLAMA_ARG_MCP_SERVERS_JSON"),
  toggle(
    "-ag --agent",
    "-no-ag --no-agent",
    { on: clientTools, off: noServerTools },
    "LLAMA_ARG_AGENT",
  ),
  value(
    "--api-key",
    { ...setting("--api-key"), note: "repeat the flag for several keys; the variable has a list" },
    "LLAMA_API_KEY",
  ),
  value("--api-key-file", setting("--api-key-file"), "LLAMA_ARG_API_KEY_FILE"),
  value("--ssl-key-file", setting("--tls-key"), "LLAMA_ARG_SSL_KEY_FILE"),
  value("--ssl-cert-file", setting("--tls-cert"), "LLAMA_ARG_SSL_CERT_FILE"),
  value(
    "-to --timeout",
    {
      ...setting("--write-timeout"),
      note: "seconds after which a client that stops reading is disconnected; at most 3600",
    },
    "LLAMA_ARG_TIMEOUT",
  ),
  value(
    "--sse-ping-interval",
    accepted("a silent stream gets a comment every 15 seconds"),
    "LLAMA_ARG_SSE_PING_INTERVAL",
  ),
  value(
    "--threads-http",
    accepted("an event loop handles all connections"),
    "LLAMA_ARG_THREADS_HTTP",
  ),
  toggle(
    "--cache-prompt",
    "--no-cache-prompt",
    {
      on: accepted("prompts are cached unless a request has cache_prompt: false"),
      off: refused("set cache_prompt: false in requests instead"),
    },
    "LLAMA_ARG_CACHE_PROMPT",
  ),
  value(
    "--cache-reuse",
    cases(
      { "0": accepted("the common beginning of prompts is reused") },
      accepted("the common beginning of prompts is reused, later chunks are not"),
    ),
    "LLAMA_ARG_CACHE_REUSE",
  ),
  flag(
    "--metrics",
    accepted("GET /metrics is always served, to keys with its scope"),
    "LLAMA_ARG_ENDPOINT_METRICS",
  ),
  flag(
    "--props",
    accepted("GET /props is always served; settings cannot be changed with POST /props"),
    "LLAMA_ARG_ENDPOINT_PROPS",
  ),
  toggle(
    "--slots",
    "--no-slots",
    {
      on: accepted("GET /slots is served unless --no-slots is given"),
      off: choice("--no-slots"),
    },
    "LLAMA_ARG_ENDPOINT_SLOTS",
  ),
  value("--slot-save-path", setting("--slot-save-path")),
  value("--media-path", setting("--media-path")),
  toggle(
    "--prefill-assistant",
    "--no-prefill-assistant",
    {
      on: accepted("a final assistant message is continued"),
      off: refused("set continue_final_message: false in requests instead"),
    },
    "LLAMA_ARG_PREFILL_ASSISTANT",
  ),
  value(
    "-sps --slot-prompt-similarity",
    accepted("a request gets the slot or saved state with the longest common beginning"),
  ),
  flag("--log-disable", choice("--log-level", "silent")),
  value("--log-file", setting("--log-file"), "LLAMA_ARG_LOG_FILE"),
  toggle("--log-jsonl", "--no-log-jsonl", { on: json, off: json }, "LLAMA_ARG_LOG_JSONL"),
  value("--log-prompts-dir", refused("prompts are never logged")),
  value("--log-colors", colours, "LLAMA_ARG_LOG_COLORS"),
  flag("-v --verbose --log-verbose", choice("--log-level", "debug")),
  value(
    "-lv --verbosity --log-verbosity",
    setting("--log-level", LEVELS),
    "LLAMA_ARG_LOG_VERBOSITY",
  ),
  toggle("--log-prefix", "--no-log-prefix", { on: json, off: json }, "LLAMA_ARG_LOG_PREFIX"),
  toggle(
    "--log-timestamps",
    "--no-log-timestamps",
    { on: json, off: json },
    "LLAMA_ARG_LOG_TIMESTAMPS",
  ),
];
