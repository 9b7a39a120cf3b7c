/**
 * What the page may do. It loads from its own origin only, and runs and styles nothing that is written into a document.
 * `data:` and `blob:` images are those that a user attaches. HTML is made of text by the sanitiser alone, which the policy
 * `dompurify` stands for (https://www.w3.org/TR/trusted-types/).
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

/** The headers of the page. */
export const PAGE_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  // Its files have names of their content; which these are, is asked each time.
  "cache-control": "no-cache",
} as const;

/** How long browsers keep a file whose name changes with its content. */
export const FILE_CACHE_CONTROL = "public, max-age=31536000, immutable";
