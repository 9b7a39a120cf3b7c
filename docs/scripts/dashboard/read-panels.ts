/** A value at a time in seconds since the Unix epoch; `undefined`: no value. */
export interface Point {
  readonly at: number;
  readonly value: number | undefined;
}

/** A line of a panel. */
export interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

/** A panel of a dashboard with the results of its queries. */
export interface FilledPanel {
  readonly kind: "row" | "stat" | "timeseries";
  readonly title: string;
  readonly unit: string;
  readonly stacking: "stacked" | "apart";
  /** In columns (1/24 of the width) and rows. */
  readonly place: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly lines: readonly Line[];
}

/** The members of a Grafana dashboard that are read. */
export interface Dashboard {
  readonly title: string;
  readonly panels: readonly {
    readonly type: string;
    readonly title: string;
    readonly gridPos: FilledPanel["place"];
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
    readonly fieldConfig?: {
      readonly defaults: {
        readonly unit: string;
        readonly custom?: { readonly stacking?: object };
      };
    };
  }[];
}

/** A series in Prometheus' answer to a range query: pairs of seconds and a number as text. */
export interface PrometheusSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

export type QueryRange = (query: string) => Promise<readonly PrometheusSeries[]>;

/** Window of rates: four scrapes, Grafana's minimum. */
const RATE_INTERVAL = "20s";

/** Runs the queries of a dashboard's panels, for all servers and models. */
export async function readPanels(
  { panels }: Dashboard,
  queryRange: QueryRange,
): Promise<readonly FilledPanel[]> {
  return Promise.all(
    panels.map(async ({ type, title, gridPos, targets = [], fieldConfig }) => {
      const answers = await Promise.all(
        targets.map(async ({ expr, legendFormat }) => {
          const series = await queryRange(withVariables(expr));
          return series.map((one) => toLine(one, legendFormat));
        }),
      );
      return {
        kind: kindOf(type),
        title,
        unit: fieldConfig?.defaults.unit ?? "none",
        stacking: fieldConfig?.defaults.custom?.stacking === undefined ? "apart" : "stacked",
        place: gridPos,
        lines: answers.flat(),
      };
    }),
  );
}

/** Returns a query with Grafana's variables replaced. */
export function withVariables(query: string): string {
  return query
    .replaceAll("$__rate_interval", RATE_INTERVAL)
    .replaceAll(/"\$(?:model|instance)"/g, '".*"');
}

function toLine({ metric, values }: PrometheusSeries, legendFormat: string): Line {
  return {
    name: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ""),
    points: values.map(([at, text]) => {
      const value = Number(text);
      return { at, value: Number.isFinite(value) ? value : undefined };
    }),
  };
}

function kindOf(type: string): FilledPanel["kind"] {
  if (type === "row" || type === "stat" || type === "timeseries") return type;
  throw new Error(`expected a row, a stat or a timeseries, got a panel of type ${type}`);
}
