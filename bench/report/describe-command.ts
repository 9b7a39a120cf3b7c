import type { SideResult } from "../summary/result-file.js";

/** Describes a server's command line without the port, which differs in every run. */
export function describeCommand({ label, version, command }: SideResult): string {
  return `${label} (${version}): \`${command.join(" ").replace(/ --port \d+/, "")}\``;
}
