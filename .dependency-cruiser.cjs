/**
 * The walls of the house: who may import whom (docs/architecture.md).
 * Everyone may import core; core imports nothing.
 */
const within = (folder) => `^src/${folder}/`;

/** A folder of src/ that may import only itself and the folders named. */
const onlyImports = (folder, allowed) => ({
  name: `${folder}-imports-only-${allowed.join("-")}`,
  severity: "error",
  from: { path: within(folder) },
  to: { path: "^src/", pathNot: [folder, ...allowed].map(within) },
});

/** A library with one home. */
const livesIn = (library, home) => ({
  name: `${library}-lives-in-${home.replaceAll("/", "-")}`,
  severity: "error",
  from: { path: "^src/", pathNot: within(home) },
  to: { path: `node_modules/${library}/` },
});

module.exports = {
  forbidden: [
    {
      name: "core-imports-nothing",
      severity: "error",
      from: { path: within("core") },
      to: { pathNot: within("core") },
    },
    onlyImports("engine", ["core"]),
    onlyImports("engine-process", ["core", "engine"]),
    onlyImports("scheduler", ["core"]),
    onlyImports("registry", ["core"]),
    onlyImports("todos", ["core"]),
    onlyImports("validation", ["core"]),
    onlyImports("observability", ["core"]),
    onlyImports("http", ["core"]),
    onlyImports("config", ["core", "validation"]),
    onlyImports("api", ["core", "http", "validation", "todos"]),
    {
      name: "only-routes-touch-fastify-and-http",
      severity: "error",
      from: { path: within("api"), pathNot: "route\\.ts$" },
      to: { path: ["node_modules/fastify/", within("http")] },
    },
    {
      // The description's words are everybody's; it imports no dialect itself.
      name: "dialects-do-not-import-each-other",
      severity: "error",
      from: { path: "^src/api/([^/]+)/" },
      to: { path: "^src/api/[^/]+/", pathNot: ["^src/api/$1/", within("api/description")] },
    },
    {
      name: "only-the-todo-routes-use-the-todo-store",
      severity: "error",
      from: { path: within("api"), pathNot: within("api/todos") },
      to: { path: within("todos") },
    },
    livesIn("node-llama-cpp", "engine"),
    livesIn("@huggingface/jinja", "engine"),
    livesIn("p-queue", "scheduler"),
    livesIn("lowdb", "todos"),
    livesIn("sorted-btree", "todos"),
    livesIn("zod-openapi", "api"),
    livesIn("yaml", "api/description"),
    livesIn("swagger-ui-dist", "api/description"),
    livesIn("@fastify/static", "api/description"),
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      // Asked of the compiled code, where imports of types are gone.
      name: "no-development-dependencies-at-run-time",
      severity: "error",
      from: { path: "^dist/" },
      to: { dependencyTypes: ["npm-dev"] },
    },
    {
      name: "no-orphans",
      severity: "error",
      from: { orphan: true, path: "^src/", pathNot: "^src/(engine-process/)?main\\.ts$" },
      to: {},
    },
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "types"],
    },
  },
};
