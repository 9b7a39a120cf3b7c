/** Number of options that Page Up and Page Down skip. */
const PAGE = 8;

/**
 * Returns the option that a key moves to, in a list of options.
 * @param active current option; -1: none
 * @returns `undefined` if the key does not move
 */
export function moveActive(key: string, active: number, count: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case "ArrowDown":
      return Math.min(last, active + 1);
    case "ArrowUp":
      return active < 0 ? last : Math.max(0, active - 1);
    case "PageDown":
      return Math.min(last, active + PAGE);
    case "PageUp":
      return Math.max(Math.min(0, last), active - PAGE);
    case "Home":
      return Math.min(0, last);
    case "End":
      return last;
    default:
      return undefined;
  }
}

/**
 * Finds the option that typed characters select: the next one that begins with them. A repeated
 * character steps through the options that begin with it.
 * @returns -1 if there is none
 */
export function findByTyping(labels: readonly string[], typed: string, active: number): number {
  const isRepeated = [...typed].every((one) => one === typed[0]);
  const prefix = (isRepeated ? typed.slice(0, 1) : typed).toLowerCase();
  const first = typed.length === 1 || isRepeated ? active + 1 : Math.max(0, active);
  for (let step = 0; step < labels.length; step += 1) {
    const index = (first + step) % labels.length;
    if (labels[index]?.toLowerCase().startsWith(prefix)) return index;
  }
  return -1;
}
