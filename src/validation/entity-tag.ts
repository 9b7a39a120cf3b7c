import { createHash } from "node:crypto";

/** The tags of an `If-Match` or `If-None-Match` header: RFC 9110, sections 13.1.1 and 13.1.2. */
export type EntityTags =
  | { readonly kind: "any" }
  | { readonly kind: "listed"; readonly tags: readonly EntityTag[] };

export interface EntityTag {
  readonly strength: "strong" | "weak";
  /** Opaque tag including its quotes: `"a"`. */
  readonly opaque: string;
}

/** `entity-tag` of RFC 9110, section 8.8.3; header fields are read as Latin-1. */
const entityTag = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/;
/** Unambiguous, so that no header causes catastrophic backtracking. */
const entityTagList = new RegExp(`^(?:[ \\t]*(?:${entityTag.source}[ \\t]*)?(?:,|$))+$`);

/** A strong entity tag: a digest of the body. */
export function computeEntityTag(body: string | Buffer): string {
  return `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
}

/**
 * Parses the tags of a header; undefined when it violates the grammar or has no tag. Empty list
 * elements are ignored (RFC 9110, section 5.6.1.2).
 */
export function parseEntityTags(header: string): EntityTags | undefined {
  if (header.trim() === "*") return { kind: "any" };
  if (!entityTagList.test(header)) return undefined;
  const matches = header.matchAll(new RegExp(entityTag, "g"));
  const tags = Array.from(matches, ([, weak, opaque = ""]): EntityTag => {
    return { strength: weak === undefined ? "strong" : "weak", opaque };
  });
  return tags.length === 0 ? undefined : { kind: "listed", tags };
}

/**
 * Whether the tags match the current strong tag by strong comparison: a weak tag never matches
 * (RFC 9110, section 8.8.3.2).
 */
export function matchesStrongly(tags: EntityTags, current: string): boolean {
  if (tags.kind === "any") return true;
  return tags.tags.some(({ strength, opaque }) => strength === "strong" && opaque === current);
}

/** Whether the tags match the current tag by weak comparison (RFC 9110, section 8.8.3.2). */
export function matchesWeakly(tags: EntityTags, current: string): boolean {
  return tags.kind === "any" || tags.tags.some(({ opaque }) => opaque === current);
}
