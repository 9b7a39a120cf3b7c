import { defineConfig } from "vite";

/**
 * The page is built next to the compiled daemon, which serves it from `/` and `/page/`: see
 * `src/api/page`.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  publicDir: false,
  experimental: {
    // The server may be served under a prefix, so files refer to each other by relative paths.
    renderBuiltUrl: (name, { hostType }) =>
      hostType === "html" ? `./page/${name}` : { relative: true },
  },
  build: {
    emptyOutDir: true,
    // A single flat folder: each file of the page is one name below /page/.
    assetsDir: "",
    // Styles and scripts are separate files, because the page's content security policy forbids
    // inline ones.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
