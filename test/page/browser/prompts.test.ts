import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";

const menu = (page: Page) => page.getByRole("listbox", { name: "Prompts" });
const composer = (page: Page) => page.getByLabel("Your message");

const untilFocused = (page: Page) =>
  expect
    .poll(() => composer(page).evaluate((field) => field.matches(":focus")), { timeout: 10_000 })
    .toBe(true);

/** Saves a prompt through the library. */
async function save(page: Page, title: string, text: string): Promise<void> {
  await page.getByRole("button", { name: "Prompts" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /New prompt|Save message as prompt/ }).click();
  await dialog.getByLabel("Title").fill(title);
  await dialog.getByLabel("Prompt", { exact: true }).fill(text);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText(`Saved “${title}”.`).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
}

describe.skipIf(!hasBrowser)("the prompt library", () => {
  useBrowser();

  it("is opened by a slash, and asks for variables", async () => {
    const { url, engine } = await scriptedServer();
    const opened = await openPage(url);
    const { page } = opened;
    await save(page, "Translate", "Translate to {{language}}: {{text}}");
    await save(page, "Tidy", "Tidy this up.");
    await page.reload();
    await composer(page).fill("/t");
    await page.getByRole("option", { name: /^Translate/ }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel("language").fill("French");
    await page.getByRole("dialog").getByLabel("text").fill("Hello");
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await composer(page).inputValue()).toBe("Translate to French: Hello");
    await untilFocused(page);
    await page.keyboard.press("Enter");
    await endedAnswers(page);
    expect(JSON.stringify(engine.requests[0]?.prompt.messages)).toContain("French: Hello");
    expectQuiet(opened);
  });

  it("is dismissed by Escape, so that a slash can be sent", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await save(page, "Tidy", "Tidy this up.");
    await composer(page).fill("/t");
    await menu(page).waitFor();
    await page.keyboard.press("Escape");
    await menu(page).waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await page.locator(".question", { hasText: "/t" }).waitFor();
  });

  it("saves the message, edits and deletes prompts, and undoes a deletion", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await composer(page).fill("Explain it to a child.");
    await page.getByRole("button", { name: "Prompts" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Save message as prompt" }).click();
    expect(await dialog.getByLabel("Prompt", { exact: true }).inputValue()).toBe(
      "Explain it to a child.",
    );
    await dialog.getByLabel("Title").fill("Simple");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("button", { name: "Edit Simple" }).click();
    await dialog.getByLabel("Title").fill("Simpler");
    await dialog.getByRole("button", { name: "Save" }).click();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete Simpler" }).click();
    await dialog.getByText("No prompts yet.").waitFor();
    await dialog.getByRole("button", { name: "Undo" }).click();
    await composer(page).evaluate((field) => {
      (field as HTMLTextAreaElement).value = "";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    });
    await dialog.getByRole("button", { name: /^Insert Simpler/ }).click();
    expect(await composer(page).inputValue()).toBe("Explain it to a child.");
    await untilFocused(page);
  });

  it("is exported and imported", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await save(page, "Tidy", "Tidy this up.");
    await page.getByRole("button", { name: "Prompts" }).click();
    const dialog = page.getByRole("dialog");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Export" }).click(),
    ]);
    const exported = await readFile(await download.path(), "utf8");
    expect(JSON.parse(exported)).toEqual({ prompts: [{ title: "Tidy", text: "Tidy this up." }] });
    const give = (content: string) =>
      dialog.locator("input[type=file]").setInputFiles({
        name: "p.json",
        mimeType: "application/json",
        buffer: Buffer.from(content),
      });
    await give("{}");
    await dialog.getByRole("alert").getByText("Expected a JSON file").waitFor();
    await give(JSON.stringify([...JSON.parse(exported).prompts, { title: "New", text: "x" }]));
    await dialog.getByText("Imported 1 of 2 prompts").waitFor();
    await dialog.getByRole("button", { name: /^Insert New/ }).waitFor();
  });
});
