import type { PeerChoice, ScenarioOptions } from "./command-line.js";
import { peerProgram } from "./peer/build.js";
import type { Comparison } from "./scenarios/scenario.js";
import { balancedGgufd } from "./servers/balanced-ggufd.js";
import { externalServer } from "./servers/external-server.js";
import { ggufd } from "./servers/ggufd.js";
import { llamaServer } from "./servers/llama-server.js";
import type { ServerSettings, Side } from "./servers/server.js";

/**
 * Servers that a scenario compares, ggufd first. llama-server is built from node-llama-cpp's bundle
 * if it is needed and does not exist yet.
 */
export function sidesOf(
  comparison: Comparison,
  settings: ServerSettings,
  { peer, oursFlags, peerFlags }: Pick<ScenarioOptions, "peer" | "oursFlags" | "peerFlags">,
): [Side, ...Side[]] {
  if (comparison.kind === "balanced") {
    return [balancedGgufd("ggufd behind HAProxy", settings, oursFlags)];
  }
  if (comparison.kind === "replicas") {
    const { count } = comparison;
    const part = divideAmong(count, settings);
    return [
      ggufd("ggufd", part, ["--replicas", String(count), ...oursFlags]),
      ggufd("ggufd, one engine", settings, oursFlags),
    ];
  }
  if (comparison.kind === "flags") {
    const { label, otherFlags } = comparison;
    return [
      ggufd("ggufd", settings, [...comparison.flags, ...oursFlags]),
      ggufd(label, settings, [...otherFlags, ...oursFlags]),
    ];
  }
  const { flags = [] } = comparison;
  const nodeFlags = comparison.kind === "alone" ? comparison.nodeFlags : [];
  const ours = ggufd("ggufd", settings, [...flags, ...oursFlags], nodeFlags);
  return comparison.kind === "alone" ? [ours] : [ours, ...peerSides(peer, settings, peerFlags)];
}

/** Settings of each of several engines with the slots and threads of one. */
function divideAmong(count: number, settings: ServerSettings): ServerSettings {
  const divide = (total: number) => Math.max(1, Math.floor(total / count));
  return { ...settings, slots: divide(settings.slots), threads: divide(settings.threads) };
}

function peerSides(peer: PeerChoice, settings: ServerSettings, flags: readonly string[]): Side[] {
  switch (peer.kind) {
    case "none":
      return [];
    case "url":
      return [externalServer(peer.baseUrl)];
    case "llama-server":
      return [llamaServer(settings, flags, peer.program ?? peerProgram("llama-server"))];
  }
}
