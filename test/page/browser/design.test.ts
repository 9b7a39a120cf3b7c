import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";

const PHONE = { viewport: { width: 390, height: 844 } };

/** Opacity of an element and its ancestors. */
async function opacityOf(shown: Locator): Promise<number> {
  return shown.evaluate((element) => {
    let opacity = 1;
    for (let one: Element | null = element; one !== null; one = one.parentElement) {
      opacity *= Number(getComputedStyle(one).opacity);
    }
    return opacity;
  });
}

const button = (page: Page, name: string) => page.getByRole("button", { name });

describe.skipIf(!hasBrowser)("an empty conversation on the page", () => {
  useBrowser();

  it("shows the model that answers, and questions that fill the composer", async () => {
    const { url, engine } = await scriptedServer(undefined, {}, { media: ["image"] });
    const opened = await openPage(url);
    const { page } = opened;
    const card = page.getByRole("region", { name: "scripted" });
    await card.getByText("100,000 tokens").waitFor();
    const facts = await card.locator("dt, dd").allInnerTexts();
    expect(facts.join(" ")).toBe("Size 2 MB Context 100,000 tokens Accepts text, images Slots 2");
    const questions = page.getByRole("list", { name: "Example questions" }).getByRole("button");
    expect(await questions.count()).toBe(3);
    await questions.first().click();
    const field = page.getByLabel("Your message");
    expect(await field.inputValue()).toContain("Describe this image");
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(engine.requests).toEqual([]);
    await page.keyboard.press("Enter");
    await endedAnswers(page);
    expect(await page.locator(".question").innerText()).toContain("Describe this image");
    expectQuiet(opened);
  });

  it.each(["light", "dark"] as const)("has no axe violations, in %s mode", async (colorScheme) => {
    const { url } = await scriptedServer();
    for (const options of [{ colorScheme }, { colorScheme, ...PHONE }]) {
      const { page } = await openPage(url, options);
      await page.getByRole("region", { name: "scripted" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
    }
  });
});

describe.skipIf(!hasBrowser)("the actions of a message on the page", () => {
  useBrowser();

  it("appear on hover and on focus", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await ask(page, "Hi");
    await endedAnswers(page);
    await page.mouse.move(0, 0);
    expect(await opacityOf(button(page, "Copy answer"))).toBe(0);
    await page.locator(".answer").hover();
    expect(await opacityOf(button(page, "Copy answer"))).toBe(1);
    expect(await opacityOf(button(page, "Copy message"))).toBe(0);
    await page.getByRole("button", { name: "Copy message" }).focus();
    expect(await opacityOf(button(page, "Copy message"))).toBe(1);
  });

  it("open dialogs that stay visible without hover", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await ask(page, "Hi");
    await endedAnswers(page);
    await page.locator(".answer").hover();
    await button(page, "Show request").click();
    const dialog = page.getByRole("dialog", { name: "Request" });
    await dialog.waitFor();
    await page.mouse.move(0, 0);
    // Any place in the dialog that takes no focus.
    await page.evaluate(() => document.querySelector<HTMLElement>(":focus")?.blur());
    expect(await opacityOf(dialog)).toBe(1);
  });

  it("are always visible on touch screens, with large targets", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url, { ...PHONE, hasTouch: true, isMobile: true });
    await ask(page, "Hi");
    await endedAnswers(page);
    expect(await opacityOf(button(page, "Copy answer"))).toBe(1);
    const box = await page.getByRole("button", { name: "Copy answer" }).boundingBox();
    expect(box?.width).toBeGreaterThanOrEqual(44);
    expect(box?.height).toBeGreaterThanOrEqual(44);
  });
});

describe.skipIf(!hasBrowser)("the page on a phone", () => {
  useBrowser();

  it("shows the first message in the upper third, and the views at the bottom", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url, PHONE);
    await ask(page, "Hi");
    await endedAnswers(page);
    const { height } = PHONE.viewport;
    const question = await page.locator(".question").boundingBox();
    expect(question?.y).toBeLessThan(height / 3);
    const views = await page.getByRole("navigation", { name: "Views" }).boundingBox();
    expect((views?.y ?? 0) + (views?.height ?? 0)).toBe(height);
    const composer = await page.locator(".composer").boundingBox();
    expect((composer?.y ?? 0) + (composer?.height ?? 0)).toBeLessThanOrEqual(views?.y ?? 0);
    await page.getByRole("link", { name: "Models" }).click();
    await page.getByRole("heading", { name: "Models", level: 1 }).waitFor();
  });

  it("has a message field of the composer's width, with the controls below", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url, { ...PHONE, hasTouch: true, isMobile: true });
    const composer = await page.locator(".composer").boundingBox();
    const field = await page.getByLabel("Your message").boundingBox();
    if (composer === null || field === null) throw new Error("expected a composer with a field");
    expect(composer.width).toBeGreaterThan(350);
    expect(field.width).toBeGreaterThan(composer.width - 24);
    for (const name of ["Attach files", "Prompts", "Send"]) {
      const control = await button(page, name).boundingBox();
      expect(control?.y).toBeGreaterThanOrEqual(field.y + field.height);
      expect(control?.height).toBeGreaterThanOrEqual(44);
    }
    const send = await button(page, "Send").boundingBox();
    expect((send?.x ?? 0) + (send?.width ?? 0)).toBeGreaterThan(composer.x + composer.width - 24);
  });

  it("closes the list of chats by a tap outside of it and by Escape", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url, { ...PHONE, hasTouch: true, isMobile: true });
    const list = page.getByRole("navigation", { name: "Conversations" });
    const open = async () => {
      await button(page, "Conversations").tap();
      await list.waitFor();
    };
    await open();
    expect(await violationsOf(page)).toEqual([]);
    await page.touchscreen.tap(PHONE.viewport.width - 10, PHONE.viewport.height / 2);
    await list.waitFor({ state: "hidden" });
    await open();
    // The empty end of the list takes no focus.
    await page.touchscreen.tap(100, PHONE.viewport.height - 80);
    expect(await list.isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "hidden" });
  });

  it("gives the room of the views to the composer while a screen keyboard is open", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url, PHONE);
    const views = page.getByRole("navigation", { name: "Views" });
    await page.setViewportSize({ width: 390, height: 420 });
    await page.getByLabel("Your message").focus();
    await views.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Chat settings" }).focus();
    await views.waitFor();
  });
});
