import { describe, expect, it } from "vitest";
import {
  ask,
  endedAnswers,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
} from "../../support/page-in-browser.js";
import { deferred } from "../../support/scripted-engine.js";

/** Answer whose second half arrives when the test decides. */
function halved() {
  const gate = deferred();
  const parts = ["The first half, ", "and the second."];
  const before = (index: number) => (index === 1 ? gate.promise : undefined);
  return { script: () => ({ parts, before }), goOn: gate.resolve };
}

describe.skipIf(!hasBrowser)("an answer in progress", () => {
  useBrowser();

  it("is resumed after a page reload", async () => {
    const { script, goOn } = halved();
    const { url, engine } = await scriptedServer(script);
    const { page } = await openPage(url);
    await ask(page, "Go");
    await page.locator(".answer", { hasText: "The first half," }).waitFor();
    await page.reload();
    await page.locator(".answer", { hasText: "The first half," }).waitFor();
    goOn();
    expect(await endedAnswers(page)).toEqual(["The first half, and the second."]);
    expect(engine.requests).toHaveLength(1);
  });

  it("is shown in another browser", async () => {
    const { script, goOn } = halved();
    const { url } = await scriptedServer(script);
    const { page } = await openPage(url);
    await ask(page, "Go");
    await page.locator(".answer", { hasText: "The first half," }).waitFor();
    const { page: other } = await openPage(url);
    await other.getByRole("link", { name: "Go" }).click();
    await other.locator(".answer", { hasText: "The first half," }).waitFor();
    goOn();
    for (const one of [page, other]) {
      expect(await endedAnswers(one)).toEqual(["The first half, and the second."]);
    }
  });

  it("resumes at the same position after a network failure", async () => {
    const { script, goOn } = halved();
    const { url, dropConnections } = await scriptedServer(script);
    const { page, context } = await openPage(url);
    await ask(page, "Go");
    await page.locator(".answer", { hasText: "The first half," }).waitFor();
    await context.setOffline(true);
    dropConnections();
    await page.getByText("Connection lost. Reconnecting…").waitFor();
    goOn();
    await context.setOffline(false);
    expect(await endedAnswers(page)).toEqual(["The first half, and the second."]);
  });

  it("continues while a different conversation is shown", async () => {
    const { script, goOn } = halved();
    const { url } = await scriptedServer(script);
    const { page } = await openPage(url);
    await ask(page, "Go");
    await page.locator(".answer", { hasText: "The first half," }).waitFor();
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByText("How can I help?").waitFor();
    expect(await page.locator(".entry").innerText()).toContain("answering");
    goOn();
    await page.getByRole("link", { name: "Go" }).click();
    expect(await endedAnswers(page)).toEqual(["The first half, and the second."]);
  });
});
