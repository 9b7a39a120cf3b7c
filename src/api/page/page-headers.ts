/**
 * Security policy of the page. It loads from its own origin only; inline scripts and styles are
 * blocked. `data:` and `blob:` images are attached by the user. Only the sanitiser creates HTML
 * from text, under the Trusted Types policy `dompurify`
 * (https://www.w3.org/TR/trusted-types/); `pdf-worker` permits the script of one worker.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  // Previews of code cannot navigate to other origins either.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types dompurify pdf-worker",
].join("; ");

/**
 * Security policy of the worker that parses PDFs: no network, no code from texts. Its decoders of
 * images are WebAssembly. Files other than workers have the policy of the page.
 */
const FILE_SECURITY_POLICY = "default-src 'none'; script-src 'wasm-unsafe-eval'";

export const PAGE_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  // The names of the page's files change with their content, so only the page itself must be
  // revalidated.
  "cache-control": "no-cache",
} as const;

export const FILE_HEADERS = {
  "content-security-policy": FILE_SECURITY_POLICY,
  // The names of the files change with their content.
  "cache-control": "public, max-age=31536000, immutable",
} as const;

/**
 * Security policy of previews: documents that run code from untrusted text. They have an opaque
 * origin, no storage and no dialogs, and load nothing, not even from the server. Only the page may
 * frame them.
 */
const PREVIEW_SECURITY_POLICY = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "font-src data:",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  // All markup that scripts create passes through a filter of the document: see preview.html.
  "require-trusted-types-for 'script'",
  "trusted-types default dompurify",
].join("; ");

export const PREVIEW_HEADERS = {
  "content-security-policy": PREVIEW_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
  // Lookups of host names would disclose text.
  "x-dns-prefetch-control": "off",
  "cache-control": "no-cache",
} as const;
