/** Describes the failure of a request that was answered with a status other than 200. */
export function statusReason(status: number | undefined, content: string): string {
  return `HTTP ${status}: ${content.slice(0, 200)}`;
}
