/**
 * The title of an item, from the short name under which the victim speaks of it. Long titles make a
 * file that takes many system calls to write, so that kills fall between them.
 */
export function crashTitle(name: string): string {
  return name.padEnd(30_000, ".");
}

/** One line of the crash test's victim: what it tries, and in the past tense what was acknowledged. */
export type CrashRecord =
  | { readonly kind: "ready" }
  | { readonly kind: "create"; readonly name: string }
  | { readonly kind: "created"; readonly name: string; readonly id: number }
  | { readonly kind: "set"; readonly id: number; readonly completed: boolean }
  | { readonly kind: "was-set"; readonly id: number; readonly completed: boolean }
  | { readonly kind: "remove"; readonly id: number }
  | { readonly kind: "removed"; readonly id: number };
