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
} from "../../support/page-in-browser.js";
import { storeInMemory } from "../../support/store-in-memory.js";

const composer = (page: Page) => page.getByLabel("Your message");
const typed = (page: Page) => composer(page).inputValue();

async function openView(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name }).click();
}

async function openSettings(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Chat settings" }).click();
  await page.getByRole("complementary", { name: "Chat settings" }).waitFor();
}

describe.skipIf(!hasBrowser)("a question that is not sent yet", () => {
  useBrowser();

  it("stays with its conversation, in other views and after a reload", async () => {
    const { url } = await scriptedServer(undefined, { todos: storeInMemory() });
    const opened = await openPage(url);
    const { page } = opened;
    await ask(page, "Hi");
    await endedAnswers(page);
    await composer(page).fill("A follow-up");
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByText("How can I help?").waitFor();
    expect(await typed(page)).toBe("");
    await composer(page).fill("Another topic");
    await page.reload();
    await composer(page).waitFor();
    expect(await typed(page)).toBe("Another topic");
    await page.getByRole("link", { name: "Hi", exact: true }).click();
    await endedAnswers(page);
    expect(await typed(page)).toBe("A follow-up");
    await openView(page, "To-dos");
    await page.getByLabel("What needs to be done").waitFor();
    await page.reload();
    // The view returns to the conversation.
    await openView(page, "Chat");
    expect(await endedAnswers(page)).toEqual(["Hello!"]);
    expect(await typed(page)).toBe("A follow-up");
    await page.keyboard.press("Enter");
    await endedAnswers(page, 2);
    await page.reload();
    await endedAnswers(page, 2);
    expect(await typed(page)).toBe("");
    expectQuiet(opened);
  });

  it("follows the conversation into a branch", async () => {
    const { url } = await scriptedServer(answers({ parts: ["One."] }, { parts: ["Two."] }));
    const { page } = await openPage(url);
    await ask(page, "Say a number");
    await endedAnswers(page);
    await composer(page).fill("And then");
    await page.getByRole("button", { name: "Regenerate" }).click();
    await page.locator(".answer", { hasText: "Two." }).waitFor();
    expect(await typed(page)).toBe("And then");
  });

  it("is forgotten when the user signs out", async () => {
    const keyLines = ["first-key name=ann", "second-key name=bob"];
    const { url } = await scriptedServer(undefined, { keyLines });
    const { page } = await openPage(url);
    await page.getByLabel("API key").fill("first-key");
    await page.keyboard.press("Enter");
    await composer(page).fill("A secret");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").fill("second-key");
    await page.keyboard.press("Enter");
    await composer(page).waitFor();
    expect(await typed(page)).toBe("");
    expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("A secret");
  });
});

describe.skipIf(!hasBrowser)("an edited message", () => {
  useBrowser();

  it("keeps its text on Escape and after a reload, and is discarded by Cancel", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await ask(page, "Hi");
    await endedAnswers(page);
    const field = page.getByLabel("Edited message", { exact: true });
    await page.getByRole("button", { name: "Edit message" }).click();
    await field.fill("Hello there");
    await field.press("Escape");
    await page.getByRole("button", { name: "Edit message" }).click();
    expect(await field.inputValue()).toBe("Hello there");
    await page.reload();
    await field.waitFor();
    expect(await field.inputValue()).toBe("Hello there");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Edit message" }).click();
    expect(await field.inputValue()).toBe("Hi");
  });

  it("is sent by Enter, and gets a new line by Shift+Enter", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await ask(page, "Hi");
    await endedAnswers(page);
    await page.getByRole("button", { name: "Edit message" }).click();
    const field = page.getByLabel("Edited message", { exact: true });
    await field.press("End");
    await field.press("Shift+Enter");
    await field.pressSequentially("there");
    await field.press("Enter");
    await page.locator(".question", { hasText: "there" }).waitFor();
    expect(await field.count()).toBe(0);
  });
});

describe.skipIf(!hasBrowser)("the chat settings", () => {
  useBrowser();

  it("keep what was typed on Escape, in other chats and after a reload", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await ask(page, "Hi");
    await endedAnswers(page);
    await openSettings(page);
    const prompt = page.getByLabel("System prompt", { exact: true });
    await prompt.fill("Answer in rhymes.");
    await prompt.press("Escape");
    await page.getByRole("complementary", { name: "Chat settings" }).waitFor({ state: "detached" });
    await openSettings(page);
    expect(await prompt.inputValue()).toBe("Answer in rhymes.");
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByText("How can I help?").waitFor();
    expect(await prompt.inputValue()).toBe("");
    await page.getByRole("link", { name: "Hi", exact: true }).click();
    await endedAnswers(page);
    expect(await prompt.inputValue()).toBe("Answer in rhymes.");
    await page.reload();
    await endedAnswers(page);
    await openSettings(page);
    expect(await prompt.inputValue()).toBe("Answer in rhymes.");
    await page.getByRole("button", { name: "Discard changes" }).click();
    expect(await prompt.inputValue()).toBe("");
  });

  it("are saved by Enter, and survive a reload before the first question", async () => {
    const { url, engine } = await scriptedServer();
    const { page } = await openPage(url);
    await openSettings(page);
    const prompt = page.getByLabel("System prompt", { exact: true });
    await prompt.fill("Answer in rhymes.");
    await prompt.press("Enter");
    await page.getByRole("status").getByText("Saved").waitFor();
    await page.reload();
    await ask(page, "Hi");
    await endedAnswers(page);
    const [request] = engine.requests;
    expect(JSON.stringify(request?.prompt.messages[0])).toContain("Answer in rhymes.");
  });

  it("say what is wrong before they are saved", async () => {
    const { url, engine } = await scriptedServer();
    const { page } = await openPage(url);
    await openSettings(page);
    await page.getByLabel("Temperature").fill("3");
    await page.getByText("Temperature: expected a number from 0 to 2, got 3.").waitFor();
    await page
      .getByLabel("Tools (JSON)")
      .fill('[{"type":"function","name":"now","parameters":[]}]');
    await page.getByText("Tool 1 (now): parameters: expected a JSON Schema, got [].").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    const focused = await page.evaluate(() => document.activeElement?.getAttribute("aria-invalid"));
    expect(focused).toBe("true");
    await page.getByLabel("Temperature").fill("0.5");
    await page.getByLabel("Tools (JSON)").fill('[{"type":"function","name":"now"}]');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("Saved").waitFor();
    await ask(page, "Hi");
    await endedAnswers(page);
    expect(engine.requests[0]?.sampling).toMatchObject({ temperature: 0.5 });
  });

  it("show the defaults of the model as placeholders", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await page.route(/\/props\?model=scripted/, async (route) => {
      const response = await route.fetch();
      const params = { temperature: 0.6, top_k: 20, seed: 4294967295, max_tokens: -1 };
      const json = { ...(await response.json()), default_generation_settings: { params } };
      await route.fulfill({ response, json });
    });
    await openSettings(page);
    await expect
      .poll(() => page.getByLabel("Temperature").getAttribute("placeholder"), { timeout: 10_000 })
      .toBe("0.6");
    expect(await page.getByLabel("Seed").getAttribute("placeholder")).toBe("random");
  });
});
