import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const places = [
  process.env.CHROMIUM_PATH,
  // Has no windows and tabs, whose processes took two fifths of the tests' time.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/**
 * Path of the installed browser: `CHROMIUM_PATH` or a usual system path. Undefined if there is
 * none.
 */
export function findChromium(): string | undefined {
  return places.find((place) => place !== undefined && existsSync(place));
}

/** A headless browser without background networking. */
export function startChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    // Vitest's timeouts end a hanging page.
    timeout: 0,
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
