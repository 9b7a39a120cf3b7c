import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
} from "../../support/page-in-browser.js";
import { deferred } from "../../support/scripted-engine.js";

/** Server whose second answer pauses in its middle until the test resumes it. */
async function serverWithSlowAnswer() {
  const gate = deferred();
  let asked = 0;
  const script = () => {
    const index = asked++;
    const parts = [`Answer ${index}, `, "complete."];
    const before = (part: number) => (index === 1 && part === 1 ? gate.promise : undefined);
    return { parts, before };
  };
  const { url } = await scriptedServer(script);
  return { url, goOn: gate.resolve };
}

const half = (page: Page) => page.locator('.answer[aria-busy="true"]', { hasText: "Answer 1," });

async function turnsOf(page: Page): Promise<readonly string[]> {
  return (await page.locator(".turn .markdown").allInnerTexts()).map((text) => text.trim());
}

describe.skipIf(!hasBrowser)("a conversation opened twice", () => {
  useBrowser();

  it("shows an answer live in both windows, and keeps the text of a question that must wait", async () => {
    const { url, goOn } = await serverWithSlowAnswer();
    const { page } = await openPage(url);
    await ask(page, "First");
    await endedAnswers(page);
    // A different browser does not receive messages from the first one.
    const { page: other } = await openPage(url);
    await other.getByRole("link", { name: "First" }).click();
    await endedAnswers(other);
    await ask(page, "Second");
    await half(page).waitFor();
    await ask(other, "Third");
    await other.getByText("is being generated in another window").waitFor();
    await half(other).waitFor();
    expect(await turnsOf(other)).toEqual(await turnsOf(page));
    expect(await other.getByLabel("Your message").inputValue()).toBe("Third");
    goOn();
    for (const one of [page, other]) {
      await endedAnswers(one, 2);
    }
    await other.getByRole("button", { name: "Try again" }).click();
    await endedAnswers(other, 3);
    expect(await turnsOf(other)).toEqual([
      ...["First", "Answer 0, complete.", "Second", "Answer 1, complete."],
      ...["Third", "Answer 2, complete."],
    ]);
  });

  it("is updated immediately in another tab of the same browser", async () => {
    const { url, goOn } = await serverWithSlowAnswer();
    const opened = await openPage(url);
    const { page, context } = opened;
    await ask(page, "First");
    await endedAnswers(page);
    const other = await context.newPage();
    await other.goto(page.url());
    await endedAnswers(other);
    await ask(page, "Second");
    await half(other).waitFor();
    await other.getByRole("button", { name: "Stop generating" }).waitFor();
    goOn();
    await endedAnswers(other, 2);
    expect(await turnsOf(other)).toEqual(await turnsOf(page));
    await ask(other, "Third");
    await endedAnswers(page, 3);
    expect(await turnsOf(page)).toEqual(await turnsOf(other));
    expectQuiet(opened);
  });

  it("is updated in another browser when its window is focused", async () => {
    const { url, goOn } = await serverWithSlowAnswer();
    const { page } = await openPage(url);
    await ask(page, "First");
    await endedAnswers(page);
    const { page: other } = await openPage(url);
    await other.getByRole("link", { name: "First" }).click();
    await endedAnswers(other);
    await ask(page, "Second");
    await half(page).waitFor();
    expect(await other.locator(".answer").count()).toBe(1);
    await other.evaluate("dispatchEvent(new Event('focus'))");
    await half(other).waitFor();
    goOn();
    await endedAnswers(other, 2);
    expect(await turnsOf(other)).toEqual(await turnsOf(page));
  });
});
