import { createHash } from "node:crypto";

/** The tags of an `If-Match` or `If-None-Match` header: RFC 9110, sections 13.1.1 and 13.1.2. */
export type EntityTags =
  | { readonly kind: "any" }
  | { readonly kind: "listed"; readonly tags: readonly EntityTag[] };

export interface EntityTag {
  readonly strength: "strong" | "weak";
  /** With its quotes: `"a"`. */
  readonly opaque: string;
}

/** `entity-tag` of RFC 9110, section 8.8.3; header fields are read as Latin-1. */
const entityTag = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/;
/** Every character has one place in this pattern: no header makes it slow. */
const list = new RegExp(`^(?:[ \\t]*(?:${entityTag.source}[ \\t]*)?(?:,|$))+$`);

/** A strong tag of exactly this body. */
export function entityTagOf(body: string): string {
  return `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
}

/**
 * The tags of a header; undefined for what does not follow the grammar, or has no tag. Empty elements
 * do not count (RFC 9110, section 5.6.1.2).
 */
export function parseEntityTags(header: string): EntityTags | undefined {
  if (header.trim() === "*") return { kind: "any" };
  if (!list.test(header)) return undefined;
  const found = header.matchAll(new RegExp(entityTag, "g"));
  const tags = Array.from(found, ([, weak, opaque = ""]): EntityTag => {
    return { strength: weak === undefined ? "strong" : "weak", opaque };
  });
  return tags.length === 0 ? undefined : { kind: "listed", tags };
}

/** Whether a strong tag is among them, all of which have to be strong (RFC 9110, section 8.8.3.2). */
export function matchesStrongly(tags: EntityTags, current: string): boolean {
  if (tags.kind === "any") return true;
  return tags.tags.some(({ strength, opaque }) => strength === "strong" && opaque === current);
}

/** Whether a tag is among them, strong or weak. */
export function matchesWeakly(tags: EntityTags, current: string): boolean {
  return tags.kind === "any" || tags.tags.some(({ opaque }) => opaque === current);
}
