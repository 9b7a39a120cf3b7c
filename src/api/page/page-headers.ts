/**
 * Security policy of the page. It loads from its own origin only; inline scripts and styles are
 * blocked. `data:` and `blob:` images are attached by the user. Only the sanitiser creates HTML
 * from text, under the Trusted Types policy `dompurify`
 * (https://www.w3.org/TR/trusted-types/).
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types dompurify",
].join("; ");

export const PAGE_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  // The names of the page's files change with their content, so only the page itself must be
  // revalidated.
  "cache-control": "no-cache",
} as const;

/** Caching of files whose names change with their content. */
export const FILE_CACHE_CONTROL = "public, max-age=31536000, immutable";
