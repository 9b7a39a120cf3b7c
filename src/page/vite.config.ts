import { defineConfig } from "vite";

/** Built beside the compiled daemon, which serves it from `/` and `/page/`: see `src/api/page`. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/page/",
  publicDir: false,
  build: {
    emptyOutDir: true,
    // One folder, without subfolders: a file of the page is one name below /page/.
    assetsDir: "",
    // Styles and scripts are files of their own, as the policy of the page allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
