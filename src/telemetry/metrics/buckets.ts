/**
 * Upper bounds of histograms: vLLM's, with smaller ones for small models, so that a dashboard that was made for
 * vLLM finds the bounds that it knows.
 */
export const TTFT_SECONDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
  160, 640, 2560,
];

/** Of times between tokens. */
export const TOKEN_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5,
  7.5, 10, 20, 40, 80,
];

/** Of whole requests and of their phases. */
export const REQUEST_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60,
  120, 240, 480, 960, 1920, 7680,
];

/** Of HTTP requests of any kind. */
export const HTTP_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];

/** Lengths of prompts and answers. */
export const TOKENS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000,
];
