import { configurationPage } from "./configuration-page.js";
import { memoryPage } from "./memory-page.js";
import { readModuleGraph } from "./module-graph.js";
import { drawModules } from "./module-picture.js";
import { withMeasuredTables } from "./performance-tables.js";
import { routesPage } from "./routes-page.js";

/** A file of the documentation that is generated, in whole or in part, from the code and from measurements. */
export interface GeneratedFile {
  /** Below the repository's root. */
  readonly path: string;
  readonly url: URL;
  readonly generate: () => Promise<string>;
}

const performanceUrl = new URL("../performance.md", import.meta.url);
const readmeUrl = new URL("../../README.md", import.meta.url);

/** For which the memory of every model is planned, which takes far longer than the others. */
export const memoryFile: GeneratedFile = {
  path: "docs/memory.md",
  url: new URL("../memory.md", import.meta.url),
  generate: memoryPage,
};

/** All of them, docs/openapi.json apart, which the contract tests keep (`npm run openapi`). */
export const generatedFiles: readonly GeneratedFile[] = [
  {
    path: "docs/configuration.md",
    url: new URL("../configuration.md", import.meta.url),
    generate: async () => configurationPage(),
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
];
