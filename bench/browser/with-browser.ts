import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { InputError } from "../../models/command-line/input-error.js";

const PLACES = [process.env.CHROMIUM_PATH, "/usr/bin/chromium"];

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
