import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { InputError } from "../../models/command-line/input-error.js";

const PLACES = [process.env.CHROMIUM_PATH, "/usr/bin/chromium"];

/**
 * Starts Chromium without a window, uses it, and ends it even when the use fails.
 * @throws {InputError} when it is not installed.
 */
export async function withBrowser<Result>(use: (browser: Browser) => Promise<Result>) {
  const executablePath = PLACES.find((place) => place !== undefined && existsSync(place));
  if (executablePath === undefined) {
    throw new InputError("expected Chromium at CHROMIUM_PATH or /usr/bin/chromium, got nothing");
  }
  // Most scenarios need none.
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath,
    // Interrupts end the benchmark, and that ends the browser.
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
