import { setTimeout as delay } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright-core";
import { openPage, withColdPage } from "./with-browser.js";

/** Measurements of a long conversation in the page. */
export interface LongThread {
  /** CPU time of scripts until the end of the thread was shown. */
  readonly scriptMs: number;
  /** Time from the navigation until the end of the thread was shown. */
  readonly shownMs: number;
  /** Durations of tasks of 50 ms or more while the text was typed. */
  readonly typingTasksMs: readonly number[];
  /** Durations of tasks of 50 ms or more while the answer streamed. */
  readonly streamingTasksMs: readonly number[];
}

interface LongThreadOptions {
  /** Address of the conversation in the page. */
  readonly url: URL;
  /** Text of its last message. */
  readonly lastText: string;
  /** Number of typed characters. */
  readonly characters: number;
  /** Time for which the answer is observed at most. */
  readonly streamMs: number;
  readonly signal: AbortSignal;
}

/** Time after the opening in which the page renders the rest of the thread. */
const SETTLING_MS = 3000;

/** Observer script, run before any script of the page. */
const OBSERVE = `
const longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries()))
  .observe({ type: "longtask", buffered: true });
globalThis.longTasksSince = (fromMs) =>
  longTasks.filter(({ startTime }) => startTime >= fromMs).map(({ duration }) => duration);
`;

/** Opens a conversation with an empty cache, types a question, sends it, and observes the answer. */
export function useLongThread(browser: Browser, options: LongThreadOptions): Promise<LongThread> {
  const { url, lastText, characters, streamMs, signal } = options;
  return withColdPage(browser, async (page) => {
    await page.addInitScript({ content: OBSERVE });
    // The thread is longer than the model's context.
    await page.route("**/v1/responses", async (route) => {
      const body = route.request().postDataJSON();
      await route.continue({ postData: JSON.stringify({ ...body, truncation: "auto" }) });
    });
    const session = await page.context().newCDPSession(page);
    // CPU time: other processes do not count.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const openedAtMs = performance.now();
    await openPage(page, url);
    await page.locator(".turn").last().getByText(lastText).waitFor();
    const shownMs = performance.now() - openedAtMs;
    const scriptMs = await readScriptMs(session);
    await delay(SETTLING_MS, undefined, { signal });
    const typingTasksMs = await longTasksDuring(page, async () => {
      await page.getByLabel("Your message").pressSequentially("x".repeat(characters));
    });
    const answers = page.locator(".turn.answer");
    const answer = answers.nth(await answers.count());
    const streamingTasksMs = await longTasksDuring(page, async () => {
      await page.keyboard.press("Enter");
      await answer.locator(".markdown").first().waitFor();
      await Promise.race([
        page.locator('.answer[aria-busy="true"]').waitFor({ state: "detached" }),
        delay(streamMs, undefined, { signal }),
      ]);
    });
    return { scriptMs, shownMs, typingTasksMs, streamingTasksMs };
  });
}

async function readScriptMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  const seconds = metrics.find(({ name }) => name === "ScriptDuration")?.value;
  if (seconds === undefined) throw new Error("expected ScriptDuration, got no such metric");
  return 1000 * seconds;
}

async function longTasksDuring(page: Page, act: () => Promise<void>): Promise<readonly number[]> {
  const fromMs = await page.evaluate<number>("performance.now()");
  await act();
  // Entries are delivered after the task.
  await page.waitForTimeout(100);
  return page.evaluate<readonly number[]>(`longTasksSince(${fromMs})`);
}
