/** Types of the tools that clients run, and whose input OpenAI publishes. */
export const PUBLISHED_TYPES = ["local_shell", "shell", "apply_patch"] as const;
export type PublishedType = (typeof PUBLISHED_TYPES)[number];

export function isPublishedType(type: string): type is PublishedType {
  return PUBLISHED_TYPES.some((known) => known === type);
}
