import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { errorCatalogue } from "../../src/core/errors.js";
import { parsePrometheusText, type Sample } from "../../src/live-metrics/prometheus-text.js";
import { Metrics } from "../../src/telemetry/metrics/metrics.js";
import { engineStatistics } from "../support/engine-statistics.js";
import { loadedModel } from "../support/pooled-models.js";
import { servedModel } from "../support/served-model.js";

const prometheusFolder = fileURLToPath(new URL("../../deploy/prometheus", import.meta.url));
const promtool = process.env.PROMTOOL_PATH ?? "promtool";
const operationsUrl = new URL("../../docs/operations.md", import.meta.url);
const dashboardUrl = new URL("../../deploy/grafana/ggufd.json", import.meta.url);

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly reason: string };
}

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly w: number };
  readonly targets?: readonly { readonly expr: string; readonly refId: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
  readonly templating: { readonly list: readonly { readonly query: string | { query: string } }[] };
}

const rules: readonly Rule[] = (
  parse(readFileSync(`${prometheusFolder}/ggufd-alerts.yml`, "utf8")) as {
    groups: { rules: Rule[] }[];
  }
).groups.flatMap(({ rules }) => rules);
const dashboard: Dashboard = JSON.parse(readFileSync(dashboardUrl, "utf8"));
const panels = dashboard.panels.filter(({ type }) => type !== "row");

const queries: readonly (readonly [place: string, query: string])[] = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...dashboard.annotations.list.map(({ expr }) => ["annotations", expr] as const),
  ...dashboard.templating.list.flatMap(({ query }) =>
    typeof query === "string" ? [] : [["variables", query.query] as const],
  ),
];

let samples: readonly Sample[] = [];
beforeAll(async () => {
  const model = loadedModel({ ...servedModel("mini"), statistics: engineStatistics });
  const server = { readiness: { state: "ready" } } as const;
  const metrics = new Metrics({ models: () => [model], server, version: "1.2.3" });
  metrics.addProcess();
  const observation = metrics.observer.begin({
    id: "req_1",
    method: "POST",
    path: "/v1/chat/completions",
    route: "/v1/chat/completions",
    clientAddress: "192.0.2.1",
  });
  observation.end({ status: 200, durationMs: 1, delivery: "complete" });
  samples = parsePrometheusText((await metrics.read()).text);
});

/** Prometheus' own metrics; only `up` is used. */
const ownMetrics = new Set(["up"]);

function metricsOf(query: string): readonly string[] {
  const withoutTexts = query.replaceAll(/"[^"]*"/g, "");
  return [...withoutTexts.matchAll(/\b(?:ggufd:|process_|nodejs_)\w+|\bup\b/g)].map(
    ([name]) => name,
  );
}

describe("metrics used by alerts and the dashboard", () => {
  test.each(queries)("are exported: %s, %s", (_, query) => {
    const names = metricsOf(query);
    expect(names).not.toEqual([]);
    const measured = new Set(samples.map(({ name }) => name));
    expect(names.filter((name) => !measured.has(name) && !ownMetrics.has(name))).toEqual([]);
  });

  test.each(queries)("have the labels that the query uses: %s, %s", (_, query) => {
    for (const [, name = "", selector = ""] of query.matchAll(/([\w:]+)\{([^}]*)\}/g)) {
      const wanted = [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label);
      const ofMetric = samples.filter((sample) => sample.name === name);
      const labels = new Set([
        "instance",
        "job",
        ...ofMetric.flatMap((one) => Object.keys(one.labels)),
      ]);
      expect(wanted.filter((label) => label !== undefined && !labels.has(label))).toEqual([]);
    }
  });

  test("refer to existing error codes", () => {
    const named = queries.flatMap(([, query]) =>
      [...query.matchAll(/code=~"([^"]*)"/g)].flatMap(([, codes = ""]) => codes.split("|")),
    );
    expect(named).not.toEqual([]);
    expect(named.filter((code) => !(code in errorCatalogue))).toEqual([]);
  });
});

describe("the alert rules", () => {
  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    "%s has a severity, a summary and a reason for its threshold",
    (_, { labels, annotations }) => {
      expect(["critical", "warning", "info"]).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      expect(annotations.reason.length).toBeGreaterThan(40);
    },
  );

  test("equal the table in docs/operations.md", () => {
    const page = readFileSync(operationsUrl, "utf8");
    const rows = [...page.matchAll(/^\| `(Ggufd\w+)` \| (\w+) \| [^|]+ \| ([^|]+) \|$/gm)];
    expect(rows.map(([, alert, severity, reason]) => ({ alert, severity, reason }))).toEqual(
      rules.map(({ alert, labels: { severity }, annotations: { reason } }) => ({
        alert,
        severity,
        reason,
      })),
    );
  });

  test.runIf(isInstalled(promtool))("pass promtool's checks and their own tests", () => {
    for (const check of [
      ["check", "config", "prometheus.yml"],
      ["check", "rules", "ggufd-alerts.yml"],
      ["test", "rules", "ggufd-alerts.test.yml"],
    ]) {
      execFileSync(promtool, check, { cwd: prometheusFolder, stdio: "pipe" });
    }
  });
});

describe("the dashboard", () => {
  test("describes each of its panels", () => {
    const silent = panels.filter(({ description = "" }) => description.length < 10);
    expect(silent.map(({ title }) => title)).toEqual([]);
  });

  test("has no panels beyond its width", () => {
    const outside = panels.filter(({ gridPos: { x, w } }) => x + w > 24);
    expect(outside.map(({ title }) => title)).toEqual([]);
  });
});

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}
