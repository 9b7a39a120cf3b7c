import { configurationPage } from "./configuration-page.js";
import type { GeneratedFile } from "./generated-file.js";
import { helmFiles } from "./helm/chart.js";
import { llamaServerPage } from "./llama-server-page.js";
import { memoryPage } from "./memory-page.js";
import { readModuleGraph } from "./module-graph.js";
import { drawModules } from "./module-picture.js";
import { withMeasuredTables } from "./performance-tables.js";
import { routesPage } from "./routes-page.js";

const performanceUrl = new URL("../performance.md", import.meta.url);
const readmeUrl = new URL("../../README.md", import.meta.url);

/** Plans the memory of every model, which takes far longer than the other files. */
export const memoryFile: GeneratedFile = {
  path: "docs/memory.md",
  url: new URL("../memory.md", import.meta.url),
  generate: memoryPage,
};

/** All generated files except docs/openapi.json, which the contract tests maintain (`npm run openapi`). */
export const generatedFiles: readonly GeneratedFile[] = [
  {
    path: "docs/configuration.md",
    url: new URL("../configuration.md", import.meta.url),
    generate: async () => configurationPage(),
  },
  {
    path: "docs/llama-server.md",
    url: new URL("../llama-server.md", import.meta.url),
    generate: async () => llamaServerPage(),
  },
  memoryFile,
  {
    path: "docs/routes.md",
    url: new URL("../routes.md", import.meta.url),
    generate: async () => routesPage(),
  },
  {
    path: "docs/images/modules.svg",
    url: new URL("../images/modules.svg", import.meta.url),
    generate: async () => drawModules(await readModuleGraph()),
  },
  {
    path: "docs/performance.md",
    url: performanceUrl,
    generate: () => withMeasuredTables(performanceUrl),
  },
  {
    path: "README.md",
    url: readmeUrl,
    generate: () => withMeasuredTables(readmeUrl),
  },
  ...helmFiles,
];
