import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Reason } from "./differences.js";

const path = fileURLToPath(new URL("expected-prompts.tsv", import.meta.url));

/** Rendered prompt of ggufd, and the reason for a difference to llama-server's, if any. */
export interface ExpectedPrompt {
  readonly hash: string;
  readonly reason?: string;
}

/** By template, then by conversation. */
export type ExpectedPrompts = ReadonlyMap<string, ReadonlyMap<string, ExpectedPrompt>>;

/** `undefined`: the template refuses the conversation. */
export function promptHash(prompt: string | undefined): string {
  if (prompt === undefined) return "refused";
  return createHash("sha256").update(prompt).digest("hex").slice(0, 8);
}

/** A table: a line per template, a column per conversation, a hash and perhaps a reason in each cell. */
export function readExpectedPrompts(): ExpectedPrompts {
  const [header = "", ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
  const [, ...conversations] = header.split("\t");
  return new Map(
    lines.map((line) => {
      const [template = "", ...cells] = line.split("\t");
      const prompts = cells.map((cell, index): [string, ExpectedPrompt] => {
        const [hash = "", reason] = cell.split(" ");
        return [conversations[index] ?? "", { hash, reason }];
      });
      return [template, new Map(prompts)];
    }),
  );
}

export function writeExpectedPrompts(
  conversations: readonly string[],
  rows: ReadonlyMap<string, readonly { readonly hash: string; readonly reason?: Reason }[]>,
): void {
  const lines = [...rows].map(([template, cells]) =>
    [template, ...cells.map(({ hash, reason }) => (reason ? `${hash} ${reason}` : hash))].join(
      "\t",
    ),
  );
  writeFileSync(path, `${[["template", ...conversations].join("\t"), ...lines].join("\n")}\n`);
}
