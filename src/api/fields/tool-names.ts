import { createRefusal } from "../../core/errors.js";
import { preview } from "../../validation/preview.js";

/** Tool, by the name under which the model sees it. */
export interface KnownTool {
  readonly name: string;
  /**
   * Whether a call looks the tool up by its name. Other tools may share a name, for compatibility
   * with earlier releases.
   */
  readonly isLookedUp: boolean;
}

/**
 * @throws {GgufdError} `invalid_request` for a looked-up tool that shares its name with another
 *   tool
 */
export function rejectRepeatedNames(tools: readonly KnownTool[]): void {
  const first = new Map<string, KnownTool>();
  for (const tool of tools) {
    const { name } = tool;
    const earlierTool = first.get(name);
    if (earlierTool === undefined) first.set(name, tool);
    else if (earlierTool.isLookedUp || tool.isLookedUp) {
      const reason = `expected names that differ, got ${preview(name)} twice`;
      throw createRefusal("invalid_request", [{ field: "tools", reason }]);
    }
  }
}
