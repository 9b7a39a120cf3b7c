import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  answers,
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";

const POLLING = { timeout: 10_000 };

const isComposerFocused = (page: Page) =>
  page.getByLabel("Your message").evaluate((field) => field.matches(":focus"));

/** Takes the focus out of the composer. */
const leaveField = (page: Page) => page.getByRole("region", { name: "Messages" }).focus();

describe.skipIf(!hasBrowser)("keyboard shortcuts", () => {
  useBrowser();

  it("are listed under ? and Ctrl + /", async () => {
    const { url } = await scriptedServer();
    const opened = await openPage(url);
    const { page } = opened;
    await ask(page, "Hi");
    await endedAnswers(page);
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    // In a field, ? is a character.
    await page.keyboard.press("?");
    expect(await page.getByLabel("Your message").inputValue()).toBe("?");
    await page.keyboard.press("Control+/");
    await dialog.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await dialog.getByRole("row", { name: /New chat/ }).innerText()).toContain("N");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await leaveField(page);
    await page.keyboard.press("?");
    await dialog.waitFor();
    expectQuiet(opened);
  });

  it("regenerate and copy the last answer, and stop it", async () => {
    const { url } = await scriptedServer(
      answers({ parts: ["One."] }, { parts: ["Two."] }, { parts: ["Thr"], ending: "never" }),
    );
    const { page, context } = await openPage(url);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await ask(page, "Say a number");
    await endedAnswers(page);
    await leaveField(page);
    await page.keyboard.press("r");
    await page.locator(".answer", { hasText: "Two." }).waitFor();
    await endedAnswers(page);
    await leaveField(page);
    await page.keyboard.press("c");
    await page.getByRole("status").getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("Two.");
    await ask(page, "Go on");
    await page.locator(".answer", { hasText: "Thr" }).waitFor();
    await page.keyboard.press("Escape");
    await endedAnswers(page, 2);
  });

  it("move between the parts of the chat", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await ask(page, "Hi");
    await endedAnswers(page);
    await leaveField(page);
    await page.keyboard.press("m");
    expect(await isComposerFocused(page)).toBe(true);
    expect(await page.getByLabel("Your message").inputValue()).toBe("");
    await leaveField(page);
    const list = page.getByRole("navigation", { name: "Conversations" });
    await page.keyboard.press("l");
    await list.waitFor({ state: "hidden" });
    await page.keyboard.press("l");
    await list.waitFor();
    await page.keyboard.press("o");
    await page.getByRole("complementary").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary").waitFor({ state: "detached" });
    await leaveField(page);
    await page.keyboard.press("p");
    await page.getByRole("dialog", { name: "Prompts" }).waitFor();
    await page.keyboard.press("Escape");
    await leaveField(page);
    await page.keyboard.press("n");
    await page.getByText("How can I help?").waitFor();
    await expect.poll(() => isComposerFocused(page), POLLING).toBe(true);
  });

  it("of single keys can be turned off", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await page.getByRole("checkbox", { name: /^Use single keys/ }).uncheck();
    await page.reload();
    await page.getByRole("button", { name: "Keyboard shortcuts" }).focus();
    await page.keyboard.press("?");
    await page.keyboard.press("m");
    expect(await isComposerFocused(page)).toBe(false);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("Control+/");
    await page.getByRole("dialog").waitFor();
  });
});

describe.skipIf(!hasBrowser)("text typed after a click", () => {
  useBrowser();

  const typed = (page: Page) => page.getByLabel("Your message").inputValue();

  it("is the next message when an answer is stopped or continued", async () => {
    const { url, engine } = await scriptedServer(
      answers({ parts: ["One"], ending: "never" }, { parts: [" two"], ending: "never" }),
    );
    const { page } = await openPage(url);
    await ask(page, "Count");
    await page.locator(".answer", { hasText: "One" }).waitFor();
    await page.getByRole("button", { name: "Stop generating" }).click();
    await page.keyboard.type("carry on");
    await endedAnswers(page);
    await page.keyboard.type(" or so");
    expect(await typed(page)).toBe("carry on or so");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.keyboard.type(".");
    await page.locator(".answer", { hasText: "One two" }).waitFor();
    expect(await typed(page)).toBe("carry on or so.");
    expect(await page.getByRole("complementary").count()).toBe(0);
    expect(engine.requests).toHaveLength(2);
  });

  it("is the next message when an answer ends while its Stop button is focused", async () => {
    const { url, engine } = await scriptedServer(answers({ parts: ["One"], ending: "never" }));
    const { page } = await openPage(url);
    await ask(page, "Count");
    await page.locator(".answer", { hasText: "One" }).waitFor();
    const stop = page.getByRole("button", { name: "Stop generating" });
    await stop.focus();
    // Escape stops it as the end of the model's answer does, without a click.
    await page.keyboard.press("Escape");
    await endedAnswers(page);
    await expect.poll(() => isComposerFocused(page), POLLING).toBe(true);
    expect(engine.requests).toHaveLength(1);
  });

  it("is the next message after Send", async () => {
    const { url } = await scriptedServer(
      answers({ parts: ["One."] }, { parts: ["Two"], ending: "never" }),
    );
    const { page } = await openPage(url);
    await ask(page, "Count");
    await endedAnswers(page);
    await page.getByLabel("Your message").fill("More");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".answer", { hasText: "Two" }).waitFor();
    await page.keyboard.type("more");
    expect(await typed(page)).toBe("more");
  });

  it("is the first message after New chat, also on an empty chat", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await page.getByText("How can I help?").waitFor();
    await page.getByRole("button", { name: "New chat" }).click();
    await page.keyboard.type("so");
    expect(await typed(page)).toBe("so");
  });

  it("stays where it was when Escape stops an answer", async () => {
    const { url } = await scriptedServer(answers({ parts: ["One"], ending: "never" }));
    const { page } = await openPage(url);
    await ask(page, "Count");
    await page.locator(".answer", { hasText: "One" }).waitFor();
    await leaveField(page);
    await page.keyboard.press("Escape");
    await endedAnswers(page);
    const log = page.getByRole("region", { name: "Messages" });
    expect(await log.evaluate((element) => element.matches(":focus"))).toBe(true);
  });
});
