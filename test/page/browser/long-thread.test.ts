import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  ask,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
} from "../../support/page-in-browser.js";
import { deferred } from "../../support/scripted-engine.js";
import { LAST_TEXT, storeLongConversation } from "../../support/stored-conversations.js";

const TURNS = 120;

const unrenderedTurns = (page: Page) => page.locator(".plain-turn");

/** Distance of a thread's view from its end. */
function distanceFromEnd(page: Page): Promise<number> {
  return page
    .getByRole("region", { name: "Messages" })
    .evaluate(
      ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight,
    );
}

describe.skipIf(!hasBrowser)("a long conversation on the page", () => {
  useBrowser();

  it("opens at its end, and is rendered completely while the browser is idle", async () => {
    const server = await scriptedServer();
    const id = await storeLongConversation(server.url, TURNS);
    const opened = await openPage(server.url);
    const { page } = opened;
    // Stops the rendering of the other turns.
    await page.evaluate(() => {
      globalThis.requestIdleCallback = () => 0;
    });
    await page.goto(`${server.url}/#/chat/${id}`);
    await page.locator(".turn").last().getByText(LAST_TEXT).waitFor();
    expect(await page.locator(".turn").count()).toBe(TURNS);
    await expect.poll(() => distanceFromEnd(page)).toBeLessThan(2);
    await page.reload();
    await page.locator(".turn").last().getByText(LAST_TEXT).waitFor();
    await expect.poll(() => unrenderedTurns(page).count(), { timeout: 20_000 }).toBe(0);
    expect(await distanceFromEnd(page)).toBeLessThan(2);
    expectQuiet(opened);
  });

  it("is rendered where the user scrolls, and its search finds all of it", async () => {
    const server = await scriptedServer();
    const id = await storeLongConversation(server.url, TURNS);
    const { page } = await openPage(server.url);
    await page.goto(`${server.url}/#/chat/${id}`);
    await page.locator(".turn").last().getByText(LAST_TEXT).waitFor();
    // Searches like the browser's search, from the beginning again at the end.
    const found = await page.evaluate<boolean>('window.find("Question 2:", false, false, true)');
    expect(found).toBe(true);
    const second = page.locator(".turn").nth(2);
    await expect.poll(() => second.isVisible()).toBe(true);
    // The element is replaced once the turn is rendered.
    await second.evaluate((element) => element.scrollIntoView());
    await page.locator(".turn").nth(1).getByRole("table").waitFor();
    expect(
      await page.locator(".turn").nth(1).getByRole("button", { name: "Copy answer" }).count(),
    ).toBe(1);
  });

  it("changes only its last turn while an answer streams, and follows its end", async () => {
    const gate = deferred();
    const parts = ["First. ", ...Array.from({ length: 30 }, (_, line) => `Line ${line}\n\n`)];
    const server = await scriptedServer(() => ({
      parts,
      // The end of an answer changes the actions of all turns.
      ending: "never",
      before: (index) => (index === 1 ? gate.promise : undefined),
    }));
    const id = await storeLongConversation(server.url, TURNS);
    const { page } = await openPage(server.url);
    await page.goto(`${server.url}/#/chat/${id}`);
    await page.locator(".turn").last().getByText(LAST_TEXT).waitFor();
    await expect.poll(() => unrenderedTurns(page).count(), { timeout: 20_000 }).toBe(0);
    await ask(page, "Hi");
    await page.locator('.answer[aria-busy="true"]', { hasText: "First." }).waitFor();
    // Turns far from the view are updated while the browser is idle.
    await page.waitForTimeout(2000);
    const changedTurns = await page.evaluateHandle(() => {
      const turns = new Set<Element | null | undefined>();
      const observer = new MutationObserver((changes) => {
        for (const { target } of changes) turns.add(target.parentElement?.closest(".turn"));
      });
      const thread = document.querySelector(".thread");
      if (thread === null) throw new Error("expected a thread");
      observer.observe(thread, { childList: true, characterData: true, subtree: true });
      return turns;
    });
    gate.resolve();
    await page.locator(".turn").last().getByText("Line 29").waitFor();
    expect(await changedTurns.evaluate(({ size }) => size)).toBe(1);
    await expect.poll(() => distanceFromEnd(page)).toBeLessThan(2);
  });

  it("keeps its position when the user has scrolled away from the end", async () => {
    const gate = deferred();
    const server = await scriptedServer(() => ({
      parts: ["First. ", "Second."],
      before: (index) => (index === 1 ? gate.promise : undefined),
    }));
    const id = await storeLongConversation(server.url, TURNS);
    const { page } = await openPage(server.url);
    await page.goto(`${server.url}/#/chat/${id}`);
    await page.locator(".turn").last().getByText(LAST_TEXT).waitFor();
    await ask(page, "Hi");
    await page.locator(".answer", { hasText: "First." }).waitFor();
    const turn = page.locator(".turn").nth(TURNS - 40);
    // Text that arrives in the frame of a scroll takes the view back to the end: users scroll on.
    const scrollToTurn = async () => {
      await turn.evaluate(async (element) => {
        element.scrollIntoView({ block: "start" });
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
      });
      return distanceFromEnd(page);
    };
    await expect.poll(scrollToTurn).toBeGreaterThan(1000);
    await expect.poll(() => unrenderedTurns(page).count(), { timeout: 20_000 }).toBe(0);
    const before = await turn.boundingBox();
    gate.resolve();
    await page.locator('.answer[aria-busy="false"]', { hasText: "Second." }).waitFor();
    const after = await turn.boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2);
  });
});
