import { setTimeout as delay } from "node:timers/promises";
import { loadPage, type PageLoad } from "../browser/load-page.js";
import { useLongThread } from "../browser/long-thread.js";
import { type PageRequest, recordPage } from "../browser/record-page.js";
import { LAST_TEXT, storeConversations } from "../browser/stored-conversations.js";
import { withBrowser } from "../browser/with-browser.js";
import { type Replayed, replayRequests } from "../client/replay-requests.js";
import { besideStreams } from "./beside-streams.js";
import { itlP50Measure, itlP99Measure, outputRateMeasure } from "./common-measures.js";
import { pageMeasures, pageSamples, type WindowPair } from "./page-measures.js";
import type { Window } from "./reductions.js";
import type { Effort, Load, Scenario } from "./scenario.js";

interface Sizes {
  /** Number of times that the page is opened on an idle server. */
  readonly loads: number;
  /** Duration of the request recording, and of a window of the streams. */
  readonly windowMs: number;
  /** Number of pairs of windows, without and with the page. */
  readonly pairs: number;
  /** Number of stored conversations, and of the turns of a long one. */
  readonly conversations: number;
  readonly turns: number;
  /** Number of characters that are typed in the long conversation. */
  readonly characters: number;
}

const sizes: Readonly<Record<Effort, Sizes>> = {
  full: {
    ...{ loads: 9, windowMs: 8000, pairs: 6 },
    ...{ conversations: 1000, turns: 500, characters: 50 },
  },
  quick: {
    ...{ loads: 1, windowMs: 500, pairs: 1 },
    ...{ conversations: 3, turns: 20, characters: 3 },
  },
};

/**
 * Short answers whose length differs per client: long answers would make steps slower and slower,
 * and with equal ones all clients would send their next prompts at once.
 */
const answerTokens = (client: number) => 128 + 8 * client;

/** View that sends the most requests. */
const BUSIEST_VIEW = "/#/metrics";

/** Loading time of the page, and the cost of an open page to streaming clients. */
export const page: Scenario = {
  name: "page",
  description: "the page in a browser; then clients stream without and with an open page",
  comparison: { kind: "alone" },
  defaults: {
    full: { model: "15m+gpt-2", clients: [32], slots: 32, contextSize: 512 },
    quick: { model: "tiny", clients: [2], slots: 4, contextSize: 512 },
  },
  measures: {
    firstPaint: { label: "first contentful paint", unit: "ms", better: "lower" },
    blocking: { label: "total blocking time", unit: "ms", better: "lower" },
    transferredForPaint: {
      label: "transferred before the first paint",
      unit: "kB",
      better: "lower",
    },
    threadScript: { label: "script time of opening 500 turns", unit: "ms", better: "lower" },
    threadShown: { label: "time of opening 500 turns", unit: "ms", better: "lower" },
    typingTasks: { label: "long tasks while typing", unit: "", better: "lower" },
    streamingTasks: { label: "long tasks while an answer streams", unit: "", better: "lower" },
    transferred: { label: "transferred for the page", unit: "kB", better: "lower" },
    calls: { label: "requests of an open page", unit: "/s", better: "lower" },
    failures: { label: "failed requests of the page", unit: "", better: "lower" },
    calmItlP50: { ...itlP50Measure, label: "ITL p50 of the streams, without a page" },
    itlP50: { ...itlP50Measure, label: "ITL p50 of the streams, with a page" },
    itlP50Ratio: { label: "ITL p50, with a page to without", unit: "", better: "lower" },
    calmItlP99: { ...itlP99Measure, label: "ITL p99 of the streams, without a page" },
    itlP99: { ...itlP99Measure, label: "ITL p99 of the streams, with a page" },
    itlP99Ratio: { label: "ITL p99, with a page to without", unit: "", better: "lower" },
    calmOutput: { ...outputRateMeasure, label: "output of the streams, without a page" },
    output: { ...outputRateMeasure, label: "output of the streams, with a page" },
    outputRatio: { label: "output, with a page to without", unit: "", better: "higher" },
    calmSpread: { label: "spread of the outputs without a page", unit: "%", better: "lower" },
  },
  targets: [
    { measure: "firstPaint", of: "ours", atMost: 1000 },
    { measure: "blocking", of: "ours", atMost: 200 },
    { measure: "transferredForPaint", of: "ours", atMost: 80 },
    { measure: "threadScript", of: "ours", atMost: 300 },
    { measure: "typingTasks", of: "ours", atMost: 0 },
    { measure: "streamingTasks", of: "ours", atMost: 0 },
    { measure: "transferred", of: "ours", atMost: 250 },
    { measure: "failures", of: "ours", atMost: 0 },
    { measure: "itlP50Ratio", clients: 32, of: "ours", atMost: 1.02 },
    { measure: "itlP99Ratio", clients: 32, of: "ours", atMost: 1.1 },
    { measure: "outputRatio", clients: 32, of: "ours", atLeast: 0.98 },
  ],
  async run(load) {
    const seen = await watchPage(load);
    const { streams, result } = await besideStreams(
      load,
      () => replayPage(load, seen.requests),
      answerTokens,
    );
    for (const sample of pageSamples(seen.requests, result.replayed)) load.recordSample(sample);
    const recordedMs = sizes[load.effort].windowMs;
    return pageMeasures({ ...seen, ...result, streams, recordedMs });
  },
};

/**
 * Opens the page in a browser, uses it with a long conversation, and records its requests while clients stream, because an idle server
 * sends fewer updates. The browser is closed afterwards, since it would take the cores that
 * compute.
 */
function watchPage(load: Load) {
  const { baseUrl, effort, signal } = load;
  const { loads: count, windowMs } = sizes[effort];
  return withBrowser(async (browser) => {
    const loads: PageLoad[] = [];
    while (loads.length < count) {
      loads.push(await loadPage(browser, new URL("/", baseUrl), signal));
    }
    const id = await storeConversations(load, sizes[effort]);
    const longThread = await useLongThread(browser, {
      url: new URL(`/#/chat/${id}`, baseUrl),
      lastText: LAST_TEXT,
      characters: sizes[effort].characters,
      streamMs: windowMs,
      signal,
    });
    const { result: requests } = await besideStreams(load, () =>
      recordPage(browser, new URL(BUSIEST_VIEW, baseUrl), windowMs, signal),
    );
    return { loads, longThread, requests };
  });
}

/**
 * Measures windows without and with the page's requests; the first of a pair alternates, because
 * the machine's speed drifts.
 */
async function replayPage({ baseUrl, effort, signal }: Load, requests: readonly PageRequest[]) {
  const { windowMs, pairs: count } = sizes[effort];
  const pairs: WindowPair[] = [];
  const replayed: Replayed[] = [];
  // The streams began at once; after this time nearly all of their first answers have ended.
  await delay(2 * windowMs, undefined, { signal });
  const calmWindow = () => timed(() => delay(windowMs, undefined, { signal }));
  const pageWindow = () =>
    timed(async () => {
      replayed.push(...(await replayRequests(baseUrl, requests, { forMs: windowMs, signal })));
    });
  while (pairs.length < count) {
    if (pairs.length % 2 === 0) {
      pairs.push({ calm: await calmWindow(), page: await pageWindow() });
    } else {
      pairs.push({ page: await pageWindow(), calm: await calmWindow() });
    }
  }
  return { pairs, replayed };
}

async function timed(happen: () => Promise<void>): Promise<Window> {
  const fromMs = performance.now();
  await happen();
  return { fromMs, toMs: performance.now() };
}
