import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { openPage, withColdPage } from "./with-browser.js";

/** Time since the last long task, request or paint after which the page counts as idle. */
const IDLE_MS = 1000;
const POLL_INTERVAL_MS = 100;

/** Timings of a page opened with an empty cache. */
export interface PageLoad {
  /** Time from navigation to the first text or image. */
  readonly firstPaintMs: number;
  /** Durations of tasks of 50 ms or more, until the page was idle. */
  readonly longTasksMs: readonly number[];
  /** Bytes of headers and compressed bodies that had arrived at the first paint. */
  readonly bytesForPaint: number;
  /** Bytes of headers and compressed bodies of the document and everything it loaded. */
  readonly transferredBytes: number;
}

/** Observer script, run before any script of the page. */
const OBSERVE = `
const longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries()))
  .observe({ type: "longtask", buffered: true });
globalThis.observed = () => {
  const [documents, resources, paints] = ["navigation", "resource", "paint"]
    .map((type) => performance.getEntriesByType(type));
  const paint = paints.find(({ name }) => name === "first-contentful-paint");
  const ends = [...documents, ...resources, ...paints, ...longTasks]
    .map(({ startTime, duration }) => startTime + duration);
  const bytesOf = (entries) => entries.reduce((total, { transferSize }) => total + transferSize, 0);
  const transfers = [...documents, ...resources];
  return {
    firstPaintMs: paint?.startTime,
    bytesForPaint: bytesOf(transfers.filter(({ responseEnd }) => responseEnd <= paint?.startTime)),
    longTasksMs: longTasks.map(({ duration }) => duration),
    transferredBytes: bytesOf(transfers),
    idleMs: performance.now() - Math.max(...ends),
  };
};
`;

interface Observed extends Omit<PageLoad, "firstPaintMs"> {
  /** Absent until something has been painted. */
  readonly firstPaintMs?: number;
  /** Time since the last observed entry ended. */
  readonly idleMs: number;
}

/** Opens the page with an empty cache and waits until it is idle. */
export function loadPage(browser: Browser, url: URL, signal: AbortSignal): Promise<PageLoad> {
  return withColdPage(browser, async (page) => {
    await page.addInitScript({ content: OBSERVE });
    await openPage(page, url);
    for (;;) {
      const { firstPaintMs, idleMs, ...observed } = await page.evaluate<Observed>("observed()");
      if (firstPaintMs !== undefined && idleMs >= IDLE_MS) return { firstPaintMs, ...observed };
      await delay(POLL_INTERVAL_MS, undefined, { signal });
    }
  });
}
