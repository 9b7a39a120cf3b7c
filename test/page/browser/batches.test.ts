import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { chatLine } from "../../support/batch-options.js";
import {
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";
import { deferred } from "../../support/scripted-engine.js";
import { openStoredBatches } from "../../support/stored-batches.js";
import { textIn } from "../../support/text-in.js";

/** Opens the page of a server that answers "1" at once, and other texts when a test releases it. */
async function openBatchesView(keyLines: readonly string[] = []) {
  const { batches } = await openStoredBatches();
  const gate = deferred();
  const { url } = await scriptedServer(
    ({ prompt }) => {
      const text = textIn(prompt.messages.at(-1)?.content ?? "");
      const before = () => (text === "1" ? undefined : gate.promise);
      return { parts: [`to ${text}`], before };
    },
    { batches, keyLines },
    // All lines run at once.
    { slots: 8 },
  );
  const opened = await openPage(url);
  return { ...opened, url, release: gate.resolve };
}

async function showBatches(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Batches" }).click();
  await page.getByRole("heading", { level: 1, name: "Batches" }).waitFor();
}

async function choose(page: Page, lines: readonly string[]): Promise<void> {
  const buffer = Buffer.from(lines.join("\n"));
  await page
    .getByLabel("File of requests")
    .setInputFiles({ name: "questions.jsonl", mimeType: "application/jsonl", buffer });
}

async function create(page: Page, lines: readonly string[]): Promise<void> {
  await choose(page, lines);
  await page.getByRole("button", { name: "Create batch" }).click();
  await page.getByRole("heading", { level: 3, name: "questions.jsonl" }).waitFor();
}

/** Clicks a button that downloads a file. @returns name and lines of the file */
async function download(page: Page, name: string) {
  const started = page.waitForEvent("download");
  await page.getByRole("button", { name }).click();
  const file = await started;
  const text = await readFile(await file.path(), "utf8");
  const lines = text.trim().split("\n");
  return { name: file.suggestedFilename(), lines: lines.map((line) => JSON.parse(line)) };
}

describe.skipIf(!hasBrowser)("batches on the page", () => {
  useBrowser();

  it("are uploaded, show their progress, and offer results and errors", async () => {
    const { page, release, ...opened } = await openBatchesView();
    await showBatches(page);
    await page.getByText("No batches yet.").waitFor();
    await create(page, [
      chatLine("a", "1"),
      chatLine("b", "22"),
      chatLine("bad", "333", { temperature: "hot" }),
      chatLine("c", "4444"),
    ]);
    await page.getByText("1 of 4 answered, 1 failed").waitFor();
    const progress = page.getByRole("progressbar", { name: "Progress of questions.jsonl" });
    expect(await progress.getAttribute("value")).toBe("0.5");
    await page.getByText("scripted", { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    release();
    await page.getByText("completed", { exact: true }).waitFor();
    await page.getByText("3 of 4 answered, 1 failed").waitFor();
    await page
      .locator('[role="status"]')
      .getByText("questions.jsonl: completed.")
      .waitFor({ state: "attached" });
    const results = await download(page, "Download results of questions.jsonl");
    expect(results.name).toBe("questions_output.jsonl");
    expect(results.lines.map((line) => line.custom_id).toSorted()).toEqual(["a", "b", "c"]);
    const errors = await download(page, "Download errors of questions.jsonl");
    expect(errors).toMatchObject({ name: "questions_errors.jsonl", lines: [{ custom_id: "bad" }] });
    expect(await violationsOf(page)).toEqual([]);
    expectQuiet({ page, ...opened });
  });

  it("are cancelled after a confirmation", async () => {
    const { page } = await openBatchesView();
    await showBatches(page);
    await create(page, [chatLine("a", "1"), chatLine("b", "22")]);
    await page.getByText("1 of 2 answered").waitFor();
    const cancel = page.getByRole("button", { name: "Cancel questions.jsonl" });
    await cancel.click();
    await page.getByRole("button", { name: "Keep running" }).click();
    await cancel.click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel batch" }).click();
    await page.getByText("cancelled", { exact: true }).waitFor();
    expect(await cancel.count()).toBe(0);
    await page.getByRole("button", { name: "Download results of questions.jsonl" }).waitFor();
  });

  it("are refused before the upload if their first lines are invalid", async () => {
    const { page } = await openBatchesView();
    await showBatches(page);
    const uploads: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") uploads.push(request.url());
    });
    await choose(page, [chatLine("a", "1"), chatLine("a", "2")]);
    await page.getByText("Line 2: custom_id: expected a unique value").waitFor();
    await page.getByRole("button", { name: "Create batch" }).dispatchEvent("click");
    const embedding = { custom_id: "a", method: "POST", url: "/v1/embeddings", body: {} };
    await choose(page, [JSON.stringify(embedding)]);
    await page.getByText("Line 2:").waitFor({ state: "detached" });
    expect(await page.getByLabel("Endpoint").inputValue()).toBe("/v1/embeddings");
    await page.getByLabel("Endpoint").selectOption("/v1/completions");
    await page.getByText('Line 1: url: expected "/v1/completions"').waitFor();
    expect(uploads).toEqual([]);
  });

  it("show the errors of lines that only the server has read", async () => {
    const { page } = await openBatchesView();
    await showBatches(page);
    const lines = Array.from({ length: 25 }, (_, index) => chatLine(`${index}`, "1"));
    await create(page, [...lines, "{"]);
    await page.getByText(`Line 26: line: expected JSON in UTF-8, got "{".`).waitFor();
    await page.getByText("failed", { exact: true }).waitFor();
  });

  it("are only listed with a key that may only read", async () => {
    const { page } = await openBatchesView(["reader name=dan access=read-only"]);
    await page.getByLabel("API key").fill("reader");
    await page.keyboard.press("Enter");
    await showBatches(page);
    await page.getByText("No batches yet.").waitFor();
    expect(await page.getByRole("button", { name: "Create batch" }).count()).toBe(0);
  });

  it("explain why a server has none", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await showBatches(page);
    await page.getByText("This server stores no files and runs no batches").waitFor();
  });
});
