import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  ask,
  endedAnswers,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";
import { deferred, type ScriptedPart } from "../../support/scripted-engine.js";
import { storeInMemory } from "../../support/store-in-memory.js";
import { openStoredBatches } from "../../support/stored-batches.js";
import { storeUsageInMemory } from "../../support/usage-in-memory.js";

const parts: ScriptedPart[] = [
  { reasoning: "Let me think." },
  "# A title\n\nA *text* with `code`, a [link](https://example.com) and $x^2$.\n\n- one\n- two\n\n",
  "```js\nconst a = 'text'; // a comment\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n",
];

async function server() {
  const running = await scriptedServer(() => ({ parts }), {
    todos: storeInMemory(),
    batches: (await openStoredBatches()).batches,
    usage: storeUsageInMemory(),
  });
  await fetch(`${running.url}/v1/todos`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ title: "Buy milk" }),
  });
  return running;
}

/** Visits all views, each with some content. */
async function throughViews(page: Page, visit: (view: string) => Promise<void>): Promise<void> {
  await ask(page, "Hi");
  await endedAnswers(page);
  await page.locator(".answer math").waitFor();
  await page.locator(".hljs-string").waitFor();
  await page.getByText("Thoughts").click();
  await visit("chat");
  for (const view of ["To-dos", "Batches", "Usage", "Live metrics", "Models"]) {
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: view }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle").catch(() => undefined);
    await visit(view);
  }
}

const POLLING = { timeout: 10_000 };

/** Name of the focused element, as a screen reader announces it. */
async function focused(page: Page): Promise<string> {
  const name = await page.evaluate(() => {
    const { activeElement: element } = document;
    return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
  });
  return name.trim();
}

describe.skipIf(!hasBrowser)("the accessibility of the page", () => {
  useBrowser();

  it.each(["light", "dark"] as const)("has no axe violations, in %s mode", async (colorScheme) => {
    const { url } = await server();
    const { page } = await openPage(url, { colorScheme });
    await throughViews(page, async (view) => {
      expect(await violationsOf(page), view).toEqual([]);
    });
    await page.goto(`${url}/#/chat`);
    await page.getByRole("button", { name: "Chat settings" }).click();
    expect(await violationsOf(page), "the drawer").toEqual([]);
  });

  it("fits a narrow screen", async () => {
    const { url } = await server();
    const { page } = await openPage(url, { viewport: { width: 360, height: 700 } });
    await throughViews(page, async (view) => {
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, view).toBe(0);
      expect(await violationsOf(page), view).toEqual([]);
    });
    await page.getByRole("link", { name: "Chat", exact: true }).click();
    await page.getByRole("button", { name: "Conversations" }).click();
    await expect.poll(() => focused(page), POLLING).toBe("New chat");
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page), POLLING).toBe("Conversations");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Hi", exact: true }).click();
    await endedAnswers(page);
  });

  it("supports keyboard-only use", async () => {
    const { url } = await server();
    const { page } = await openPage(url);
    await page.getByLabel("Your message").waitFor();
    await page.keyboard.type("Hi");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("there");
    expect(await page.getByLabel("Your message").inputValue()).toBe("Hi\nthere");
    await page.keyboard.press("Enter");
    await endedAnswers(page);
    const reached = new Set<string>();
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press("Tab");
      reached.add(await focused(page));
    }
    for (const name of [
      ...["Skip to content", "Chat", "To-dos", "New chat", "Model: scripted, loaded"],
      ...["Chat settings", "Messages", "Copy answer", "Regenerate"],
      ...["Edit message", "More actions for Hi there", "Search chats", "Your message"],
    ]) {
      expect([...reached]).toContain(name);
    }
    await page.getByRole("button", { name: "Chat settings" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("complementary").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary").waitFor({ state: "detached" });
    await expect.poll(() => focused(page), POLLING).toBe("Chat settings");
    await page.getByRole("button", { name: "Edit message" }).press("Enter");
    await page.getByLabel("Edited message", { exact: true }).press("Escape");
    await expect.poll(() => focused(page), POLLING).toBe("Edit message");
  });

  it("announces an answer to screen readers sentence by sentence", async () => {
    const gate = deferred();
    const { url } = await scriptedServer(() => ({
      parts: ["I am a model. I ", "run here."],
      before: (index) => (index === 1 ? gate.promise : undefined),
    }));
    const { page } = await openPage(url);
    await ask(page, "Who are you?");
    const status = page.locator('[role="status"][aria-live="polite"]');
    await status.getByText("I am a model.", { exact: true }).waitFor({ state: "attached" });
    gate.resolve();
    await status.getByText("I run here.", { exact: true }).waitFor({ state: "attached" });
  });

  it("shows no animation if the user prefers reduced motion", async () => {
    const { url } = await scriptedServer(() => ({ parts: ["Hi"], ending: "never" }));
    const { page } = await openPage(url, { reducedMotion: "reduce" });
    await ask(page, "Hi");
    await page.locator(".answer").waitFor();
    const moving = await page.evaluate(() => document.getAnimations().length);
    expect(moving).toBe(0);
  });
});
