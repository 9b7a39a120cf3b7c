import { fileURLToPath } from "node:url";
import axe from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { findChromium, startChromium } from "./chromium.js";
import { type RunningApp, runApp } from "./running-app.js";
import { type Script, ScriptedEngine, type ScriptedEngineOptions } from "./scripted-engine.js";
import type { TestAppOptions } from "./test-app.js";

/** The page as it is built before these tests. */
export const builtPage = fileURLToPath(new URL("../../dist/page/built", import.meta.url));

const executable = findChromium();

/** Whether there is a browser; without one, the tests of a developer are skipped, and those of the gate fail. */
export const hasBrowser = executable !== undefined || process.env.CI !== undefined;

let browser: Browser | undefined;

/** Starts a browser for the tests of a file. */
export function useBrowser(): void {
  beforeAll(async () => {
    if (executable === undefined) {
      throw new Error("expected Chromium at CHROMIUM_PATH or /usr/bin/chromium, got nothing");
    }
    browser = await startChromium(executable);
  });
  afterAll(() => browser?.close());
}

/** Page, and the browser's complaints about it. */
export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings, except for answers that are errors of the server. */
  readonly complaints: readonly string[];
  /** Requests of other origins. */
  readonly foreign: readonly string[];
}

/** Opens the page of a server in a browser that knows nothing yet. It is closed after the test. */
export async function openPage(
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  if (browser === undefined) throw new Error("expected useBrowser() in the file");
  const context = await browser.newContext({
    viewport: { width: 1200, height: 800 },
    // Prevents animations during a test.
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  // Vitest's timeouts end a hanging page.
  page.setDefaultTimeout(0);
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on("console", (message) => {
    const isAnswer = message.text().startsWith("Failed to load resource");
    if (["error", "warning"].includes(message.type()) && !isAnswer) complaints.push(message.text());
  });
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("request", (request) => {
    const other = request.url();
    if (!other.startsWith(`${url}/`) && !/^(?:data|blob):/.test(other)) foreign.push(other);
  });
  onTestFinished(async ({ task }) => {
    // The error of a test that has hung does not say what it waited for.
    if (task.result?.state === "fail") process.stderr.write(await describePage(page, complaints));
    await context.close();
  });
  await page.goto(`${url}/`);
  await page.locator("#page > *").first().waitFor();
  return { page, context, complaints, foreign };
}

async function describePage(page: Page, complaints: readonly string[]): Promise<string> {
  const text = await page.locator("body").innerText({ timeout: 2000 });
  return `The page of the failed test:\n${[text, ...complaints].join("\n")}\n`;
}

/** A server of the page with an engine that answers as a test says. */
export interface ScriptedServer extends RunningApp {
  readonly engine: ScriptedEngine;
}

/** Starts one for a test. @param script the answer to the messages' last text, or to a request */
export async function scriptedServer(
  script: ConstructorParameters<typeof ScriptedEngine>[0] = () => ({ parts: ["Hello!"] }),
  options: TestAppOptions = {},
  engineOptions: ScriptedEngineOptions = {},
): Promise<ScriptedServer> {
  const engine = new ScriptedEngine(script, { contextSize: 100_000, ...engineOptions });
  const running = await runApp(engine, { page: builtPage, ...options });
  onTestFinished(() => running.close());
  return { ...running, engine };
}

/** Answers one after the other; the last one from then on. */
export function answers(...scripts: readonly Script[]): () => Script {
  let asked = 0;
  return () => {
    const script = scripts[Math.min(asked++, scripts.length - 1)];
    if (script === undefined) throw new Error("expected an answer");
    return script;
  };
}

/** Writes a question and sends it. */
export async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel("Your message").fill(text);
  await page.keyboard.press("Enter");
}

/** Waits until the page knows that the model accepts a kind of files. */
export async function untilAccepted(page: Page, kind: "image" | "audio"): Promise<void> {
  await page
    .locator(`.composer input[type=file][accept*="${kind}/*"]`)
    .waitFor({ state: "attached" });
}

/**
 * Waits until answers have ended.
 * @returns their texts without the lines below them
 */
export async function endedAnswers(page: Page, number = 1): Promise<readonly string[]> {
  const ended = page.locator('.answer[aria-busy="false"]');
  await ended.nth(number - 1).waitFor();
  return (await ended.locator(".markdown").allInnerTexts()).map((text) => text.trim());
}

/** Accessibility violations by WCAG 2.2 AA and axe's best practices. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<import("axe-core").AxeResults> } }).axe.run(),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary}`),
  );
}

/** Expects no complaints of the browser, and no requests to other hosts. */
export function expectQuiet({ complaints, foreign }: OpenPage): void {
  expect(complaints).toEqual([]);
  expect(foreign).toEqual([]);
}
