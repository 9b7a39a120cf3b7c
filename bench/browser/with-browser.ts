import { existsSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { InputError } from "../../models/command-line/input-error.js";

const PLACES = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/chromium-headless-shell"];

/**
 * Starts a headless Chromium for the duration of a callback, and closes it even if the callback
 * fails.
 * @throws {InputError} if Chromium is not installed
 */
export async function withBrowser<Result>(use: (browser: Browser) => Promise<Result>) {
  const executablePath = PLACES.find((place) => place !== undefined && existsSync(place));
  if (executablePath === undefined) {
    throw new InputError("expected Chromium at CHROMIUM_PATH or /usr/bin/chromium, got nothing");
  }
  // Imported lazily, because most scenarios need no browser.
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath,
    // Interrupts end the benchmark, which closes the browser.
    ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    ],
  });
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

const VIEWPORT = { width: 1200, height: 800 };

/** Opens a browser page with an empty cache for the duration of a callback. */
export async function withColdPage<Result>(
  browser: Browser,
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  try {
    return await use(await context.newPage());
  } finally {
    await context.close();
  }
}

/**
 * Opens the server's page and waits until its views have rendered.
 * @throws {InputError} if the server has no page
 */
export async function openPage(page: Page, url: URL): Promise<void> {
  const response = await page.goto(url.href);
  if (!response?.headers()["content-type"]?.startsWith("text/html")) {
    throw new InputError(`${url.origin}: expected the page at /; run npm run build`);
  }
  await page.locator("main#main").waitFor();
}
