/** Row of the evaluation: a skill and its share of correct answers. */
export interface Row {
  readonly name: string;
  readonly right: number;
  readonly total: number;
  /** Target share, between 0 and 1. */
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
