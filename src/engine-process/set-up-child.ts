/**
 * What all processes of the daemon have in common: a name in process lists, and an end that the daemon
 * decides. A terminal signals the whole process group, but the daemon drains before it stops them.
 */
export function setUpChild(title: string): void {
  process.title = title;
  process.on("SIGINT", () => undefined).on("SIGTERM", () => undefined);
  process.on("disconnect", () => process.exit(0));
}
