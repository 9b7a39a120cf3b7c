/** One row of the evaluation: a skill and how often it came out right. */
export interface Row {
  readonly name: string;
  readonly right: number;
  readonly total: number;
  /** Share to reach, between 0 and 1. */
  readonly aim?: number;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Rows as a Markdown table. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ name, right, total, aim }) => {
    const wanted = aim === undefined ? "" : `≥ ${percent(aim)}`;
    const share = percent(total === 0 ? 0 : right / total);
    return `| ${name} | ${right}/${total} | ${share} | ${wanted} |`;
  });
  return ["| skill | right | share | aim |", "|---|---|---|---|", ...lines].join("\n");
}
