/**
 * `npm run docs:page` starts the daemon with the shipped model, does in a browser what people do with its page, and takes
 * docs/images/page-*.png of it. Not part of `npm run docs`: fonts and numbers are those of the machine.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { findChromium, startChromium } from "../../test/support/chromium.js";

const QUESTIONS = ["Hello! Who are you?", "What is the capital of France?", "And of Italy?"];
const TODOS = ["Write the release notes", "Try another model", "Water the plants"];

/** Time until the charts show a line. */
const WATCHED_MS = 20_000;

const program = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "ggufd-page-"));
const daemon = spawn(process.execPath, [program, "serve", "--port", "0", "--log-level", "warn"], {
  cwd: folder,
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const url = await readUrl();
  const executable = findChromium();
  if (executable === undefined)
    throw new Error("expected Chromium at CHROMIUM_PATH or in /usr/bin");
  const browser = await startChromium(executable);
  try {
    await takePictures(browser, url);
  } finally {
    await browser.close();
  }
} finally {
  daemon.kill("SIGTERM");
  await once(daemon, "close");
  rmSync(folder, { recursive: true });
}

async function readUrl(): Promise<string> {
  let url: string | undefined;
  for await (const line of createInterface({ input: daemon.stdout })) {
    url ??= /^ {2}url +(\S+)$/.exec(line)?.[1];
    if (url !== undefined && /^ {2}try/.test(line)) return url;
  }
  throw new Error("the daemon has ended");
}

async function takePictures(browser: Browser, url: string): Promise<void> {
  const open = async (options: BrowserContextOptions) => {
    const context = await browser.newContext({
      viewport: { width: 1100, height: 700 },
      reducedMotion: "reduce",
      ...options,
    });
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole("button", { name: "Model: ggufd-mini, loaded" }).waitFor();
    return page;
  };
  const light = await open({ colorScheme: "light" });
  await light.getByText("2,048 tokens").first().waitFor();
  await take(light, "welcome");
  for (const [index, question] of QUESTIONS.entries()) await ask(light, question, index + 1);
  await take(light, "chat");
  await light.getByRole("link", { name: "Models" }).click();
  await light.getByText("just now").waitFor();
  await take(light, "models");
  await light.getByRole("link", { name: "To-dos" }).click();
  for (const title of TODOS) {
    await light.getByRole("textbox").first().fill(title);
    await light.keyboard.press("Enter");
    await light.getByText(title).first().waitFor();
  }
  await light.getByRole("checkbox").last().click();
  await light.getByRole("checkbox", { checked: true }).waitFor();
  await take(light, "todos");

  const dark = await open({ colorScheme: "dark" });
  await dark.getByRole("link", { name: "Live metrics" }).click();
  const other = await open({});
  for (let until = Date.now() + WATCHED_MS, asked = 1; Date.now() < until; asked++) {
    await ask(other, `How much is ${asked} plus ${asked}?`, asked);
  }
  await take(dark, "metrics");

  const narrow = await open({ colorScheme: "dark", viewport: { width: 390, height: 700 } });
  await narrow.getByRole("button", { name: "Conversations" }).click();
  await narrow.getByRole("link", { name: QUESTIONS[0] ?? "" }).click();
  await narrow
    .locator(".statistics")
    .nth(QUESTIONS.length - 1)
    .waitFor();
  await take(narrow, "narrow");
}

/** Asks, and waits until as many answers have ended. */
async function ask(page: Page, question: string, answers: number): Promise<void> {
  await page.getByLabel("Your message").fill(question);
  await page.keyboard.press("Enter");
  await page
    .locator(".statistics")
    .nth(answers - 1)
    .waitFor();
}

async function take(page: Page, name: string): Promise<void> {
  const path = fileURLToPath(new URL(`../images/page-${name}.png`, import.meta.url));
  // A cursor that blinks would make every picture another one.
  await page.screenshot({ path, caret: "hide" });
  process.stdout.write(`docs/images/page-${name}.png\n`);
}
