import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

const THEME_SCRIPT = join(import.meta.dirname, "style", "apply-theme.ts");

/**
 * Adds the script that applies the chosen theme to the head of the page. Unlike a module, it blocks
 * rendering; unlike an inline script, the page's content security policy permits it.
 */
const themeBeforePaint: Plugin = {
  name: "theme-before-paint",
  apply: "build",
  buildStart() {
    this.emitFile({ type: "chunk", id: THEME_SCRIPT, name: "theme" });
  },
  transformIndexHtml: {
    order: "post",
    handler(_html, { bundle = {} }) {
      const script = Object.values(bundle).find(
        (file) => file.type === "chunk" && file.facadeModuleId === THEME_SCRIPT,
      );
      if (script === undefined) throw new Error("expected the script of the theme in the build");
      const src = `./page/${script.fileName}`;
      return [{ tag: "script", attrs: { src }, injectTo: "head-prepend" }];
    },
  },
};

/** Copies the document of previews unchanged: its policy permits no scripts from files. */
const previewDocument: Plugin = {
  name: "preview-document",
  generateBundle() {
    const fileName = "preview.html";
    const source = readFileSync(join(import.meta.dirname, fileName));
    this.emitFile({ type: "asset", fileName, source });
  },
};

/**
 * The page is built next to the compiled daemon, which serves it from `/` and `/page/`: see
 * `src/api/page`.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  publicDir: false,
  plugins: [themeBeforePaint, previewDocument],
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
