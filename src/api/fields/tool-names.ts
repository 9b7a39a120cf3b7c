import { refusalOf } from "../../core/errors.js";
import { preview } from "../../validation/preview.js";

/** A tool by the name that the model is given. */
export interface KnownTool {
  readonly name: string;
  /** Whether it is found by its name when it is called. Other names may repeat, which clients have always been allowed. */
  readonly isLookedUp: boolean;
}

/** @throws {GgufdError} `invalid_request` for a tool that is looked up and has the name of another one */
export function rejectRepeatedNames(tools: readonly KnownTool[]): void {
  const first = new Map<string, KnownTool>();
  for (const tool of tools) {
    const { name } = tool;
    const before = first.get(name);
    if (before === undefined) first.set(name, tool);
    else if (before.isLookedUp || tool.isLookedUp) {
      const reason = `expected names that differ, got ${preview(name)} twice`;
      throw refusalOf("invalid_request", [{ field: "tools", reason }]);
    }
  }
}
