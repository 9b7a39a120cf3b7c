/** Why a request failed that was answered with another status than 200. */
export function statusReason(status: number | undefined, content: string): string {
  return `HTTP ${status}: ${content.slice(0, 200)}`;
}
