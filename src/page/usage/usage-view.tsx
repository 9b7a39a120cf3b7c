import { useEffect } from "preact/hooks";
import { formatCount } from "../../live-metrics/units.js";
import { ActionNotice } from "../parts/action-notice.js";
import { Notice } from "../parts/notice.js";
import { useAction } from "../parts/use-action.js";
import { permits } from "../session.js";
import { UsageChart } from "./usage-chart.js";
import {
  followChoice,
  grouping,
  type Interval,
  interval,
  intervals,
  readAgain,
  report,
  reportError,
  saveCsv,
  type UsageReport,
  usageDisabled,
} from "./usage-report.js";
import { type Grouping, sumBuckets, sumGroups, type UsagePoint } from "./usage-sums.js";
import { UsageTable } from "./usage-table.js";

const GROUPINGS: Readonly<Record<Grouping, string>> = {
  model: "Model",
  key: "API key",
  api: "Route",
  class: "Class",
};

/** Usage of the user's key, or of all keys for an operator. */
export function UsageView() {
  useEffect(followChoice, []);
  const action = useAction();
  if (usageDisabled.value !== undefined) {
    return (
      <>
        <h1>Usage</h1>
        <p class="hint">{usageDisabled.value}</p>
      </>
    );
  }
  const shown = report.value;
  return (
    <>
      <div class="heading">
        <h1>Usage</h1>
        <div class="actions">
          <button type="button" aria-disabled={action.isBusy} onClick={() => action.run(saveCsv)}>
            Save as CSV
          </button>
        </div>
      </div>
      <Choices />
      <ActionNotice action={action} />
      {reportError.value !== undefined && (
        <Notice message={reportError.value}>
          <button type="button" onClick={() => void readAgain()}>
            Try again
          </button>
        </Notice>
      )}
      {shown === undefined ? <p class="hint">Loading usage…</p> : <Report report={shown} />}
    </>
  );
}

/** Choice of the interval and the groups. */
function Choices() {
  const groupings = (Object.keys(GROUPINGS) as Grouping[]).filter(
    (one) => one !== "key" || permits("admin"),
  );
  return (
    <div class="usage-choices">
      <fieldset class="choice">
        <legend class="visually-hidden">Interval</legend>
        {(Object.keys(intervals) as Interval[]).map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="usage-interval"
              checked={interval.value === one}
              onChange={() => {
                interval.value = one;
              }}
            />
            <span>{intervals[one].name}</span>
          </label>
        ))}
      </fieldset>
      <fieldset class="choice">
        <legend class="visually-hidden">Groups</legend>
        {groupings.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="usage-grouping"
              checked={grouping.value === one}
              onChange={() => {
                grouping.value = one;
              }}
            />
            <span>{GROUPINGS[one]}</span>
          </label>
        ))}
      </fieldset>
    </div>
  );
}

function Report({ report: { buckets, interval: ofTime, grouping: by } }: { report: UsageReport }) {
  const rows = sumGroups(buckets, by);
  const points = sumBuckets(buckets);
  const labels = points.map(({ startTime }) => formatBucket(startTime, ofTime));
  return (
    <>
      <div class="charts">
        <UsageChart
          title="Tokens"
          labels={labels}
          print={formatCount}
          series={[
            { name: "Prompt", kind: "prompt", values: points.map((one) => one.promptTokens) },
            {
              name: "Generated",
              kind: "generation",
              values: points.map((one) => one.generatedTokens),
            },
          ]}
        />
        <UsageChart
          title="Requests"
          labels={labels}
          print={formatCount}
          series={[
            { name: "Requests", kind: "generation", values: points.map((one) => one.requests) },
          ]}
        />
      </div>
      {rows.length === 0 ? (
        <p class="hint">No requests in this interval.</p>
      ) : (
        <>
          <UsageTable heading={GROUPINGS[by]} rows={rows} />
          <details>
            <summary>Numbers of the charts</summary>
            <BucketTable points={points} labels={labels} />
          </details>
        </>
      )}
    </>
  );
}

interface BucketTableProps {
  readonly points: readonly UsagePoint[];
  readonly labels: readonly string[];
}

/** Numbers of the buckets with requests. */
function BucketTable({ points, labels }: BucketTableProps) {
  const rows = points.map((point, index) => ({ ...point, label: labels[index] ?? "" }));
  return (
    <table class="metrics-table">
      <caption class="visually-hidden">Usage over time</caption>
      <thead>
        <tr>
          <th scope="col">Start (UTC)</th>
          {["Requests", "Prompt tokens", "Generated tokens"].map((heading) => (
            <th key={heading} scope="col" class="number">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows
          .filter(({ requests }) => requests > 0)
          .map(({ label, startTime, requests, promptTokens, generatedTokens }) => (
            <tr key={startTime}>
              <th scope="row">{label}</th>
              <td class="number">{formatCount(requests)}</td>
              <td class="number">{formatCount(promptTokens)}</td>
              <td class="number">{formatCount(generatedTokens)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

const FORMATS: Readonly<Record<Interval, Intl.DateTimeFormatOptions>> = {
  day: { hour: "2-digit", minute: "2-digit" },
  month: { day: "numeric", month: "short" },
  year: { month: "short", year: "numeric" },
};

/** Prints the start of a bucket. Buckets are hours, days and months of UTC. */
function formatBucket(seconds: number, ofTime: Interval): string {
  return new Date(seconds * 1000).toLocaleString(undefined, {
    ...FORMATS[ofTime],
    timeZone: "UTC",
  });
}
