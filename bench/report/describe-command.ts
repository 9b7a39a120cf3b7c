import type { SideResult } from "../summary/result-file.js";

/** How a server was started, without the port, which differs in every run. */
export function describeCommand({ label, version, command }: SideResult): string {
  return `${label} (${version}): \`${command.join(" ").replace(/ --port \d+/, "")}\``;
}
