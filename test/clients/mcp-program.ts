import { fileURLToPath } from "node:url";

/** The command line of a server of the Model Context Protocol with one tool, `get_weather`. */
export const mcpProgram = {
  command: process.execPath,
  args: [
    "--import",
    import.meta.resolve("tsx"),
    fileURLToPath(new URL("mcp-server.ts", import.meta.url)),
  ],
} as const;
