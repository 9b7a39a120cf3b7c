/**
 * Import boundaries: which module may import which (docs/architecture.md). `npm run lint:imports` checks them;
 * docs/images/modules.svg is drawn from the imports that are really there.
 */
const swc = require("@swc/core");

// dependency-cruiser has swc read all files without JSX, which the page's are written in.
const { parseFileSync } = swc;
swc.parseFileSync = (path, options) =>
  parseFileSync(path, { ...options, tsx: path.endsWith(".tsx") });

const within = (...folders) => folders.map((folder) => `^${folder}/`);

/** A folder that may import only itself and the folders named, within one part of the tree. */
const onlyImports = (folder, allowed, { among = "src", except = [] } = {}) => ({
  name: `${folder.replaceAll("/", "-")}-imports-only-${allowed.join("-").replaceAll("/", "-") || "itself"}`,
  severity: "error",
  from: { path: within(folder) },
  to: { path: within(among), pathNot: [...within(folder, ...allowed), ...except] },
});

/** Modules of one folder of src/: each may import only itself and the modules named, none its parent. */
const modules = (folder, allowedByModule) =>
  Object.entries(allowedByModule).map(([module, { modules: allowed, files = [] }]) =>
    onlyImports(
      `${folder}/${module}`,
      allowed.map((other) => `${folder}/${other}`),
      { among: folder, except: files.map((file) => `^${folder}/${file}$`) },
    ),
  );

/** A library with its homes. */
const livesIn = (library, ...homes) => ({
  name: `${library}-lives-in-${homes.join("-").replaceAll("/", "-")}`,
  severity: "error",
  from: { path: "^src/", pathNot: within(...homes) },
  to: { path: `node_modules/${library}/` },
});

/** What the page is made of; it is built into files of its own, and nothing else has it at run time. */
const pageLibraries = [
  "preact",
  "@preact/signals",
  "markdown-it",
  "markdown-it-footnote",
  "mermaid",
  "dompurify",
  "highlight.js",
  "temml",
  "pdfjs-dist",
];

module.exports = {
  forbidden: [
    {
      name: "core-imports-nothing",
      severity: "error",
      from: { path: within("src/core") },
      to: { pathNot: within("src/core") },
    },
    {
      name: "serving-knows-no-other-command",
      severity: "error",
      from: { path: within("src/serve") },
      to: { path: within("src/cli") },
    },
    {
      name: "only-the-entrances-import-what-puts-all-together",
      severity: "error",
      from: { path: "^src/[^/]+/", pathNot: within("src/cli", "src/serve") },
      to: { path: within("src/cli", "src/serve") },
    },
    // A library of its own: what it refuses becomes an error of the catalogue where it is used.
    onlyImports("src/grammar", []),
    onlyImports("src/engine", ["src/core", "src/grammar"]),
    ...modules("src/engine", {
      sampling: { modules: [] },
      costs: { modules: [] },
      text: { modules: [] },
      native: { modules: ["sampling"] },
      memory: { modules: ["native"] },
      loading: { modules: ["native", "memory", "sampling", "text/vocabulary"] },
      devices: { modules: ["native", "memory", "loading"] },
      threads: { modules: ["native"] },
      cache: { modules: ["native", "costs", "text/prompt"] },
      drafts: { modules: ["native", "sampling", "cache", "costs"] },
      pooling: { modules: ["native", "text"] },
      media: { modules: ["native"] },
      constraints: { modules: ["native", "text"] },
      step: { modules: ["native", "text", "cache", "costs", "drafts", "constraints"] },
    }),
    ...modules("src/engine/text", {
      vocabulary: { modules: [] },
      output: { modules: [] },
      prompt: { modules: ["vocabulary", "output"] },
    }),
    {
      name: "engine-modules-know-a-context-only-by-its-interface",
      severity: "error",
      from: {
        path: within("src/engine/[^/]+"),
        pathNot: within(
          "src/engine/native",
          "src/engine/memory",
          "src/engine/loading",
          "src/engine/devices",
          "src/engine/media",
        ),
      },
      to: {
        path: within("src/engine/native"),
        pathNot: ["^src/engine/native/(token|pooling)-context\\.ts$"],
      },
    },
    onlyImports("src/process", ["src/core", "src/engine"]),
    onlyImports("src/queue", ["src/core"]),
    onlyImports("src/replicas", ["src/core"]),
    onlyImports("src/identity", ["src/core"]),
    onlyImports("src/files", ["src/core"]),
    onlyImports("src/mcp", ["src/core"]),
    onlyImports("src/conversations", ["src/core", "src/files"]),
    onlyImports("src/batches", ["src/core", "src/files", "src/validation"]),
    onlyImports("src/usage", ["src/core", "src/files"]),
    onlyImports("src/keys", ["src/core", "src/validation", "src/files", "src/config/keys"]),
    onlyImports("src/todos", ["src/core", "src/files"]),
    ...modules("src/todos", {
      collection: { modules: [], files: ["todo\\.ts"] },
      file: { modules: ["collection"], files: ["todo\\.ts"] },
    }),
    onlyImports("src/models", ["src/core", "src/validation", "src/files"]),
    ...modules("src/models", {
      store: { modules: [], files: ["model-error\\.ts"] },
      pull: { modules: ["store"], files: ["model-error\\.ts"] },
      pool: { modules: [] },
      library: { modules: ["store", "pull", "pool"], files: ["model-error\\.ts"] },
    }),
    onlyImports("src/media", ["src/core", "src/validation", "src/files"]),
    onlyImports("src/validation", ["src/core"]),
    onlyImports("src/telemetry", ["src/core", "src/files"]),
    ...modules("src/telemetry", {
      metrics: { modules: [] },
      "content-log": { modules: [], files: ["(record-requests|request-record)\\.ts"] },
      tracing: {
        modules: [],
        files: ["(record-requests|request-record|trace-parent)\\.ts"],
      },
    }),
    // Terminals and browsers show them.
    onlyImports("src/live-metrics", []),
    onlyImports("src/cli/top", [
      "src/core",
      "src/validation",
      "src/live-metrics",
      "src/cli/daemon",
    ]),
    // Of core and the dialects types alone: test/page/imports.test.ts.
    onlyImports("src/page", ["src/live-metrics", "src/core", "src/api"]),
    {
      name: "the-page-knows-no-route",
      severity: "error",
      from: { path: within("src/page") },
      to: { path: "^src/api/.*routes?\\.ts$" },
    },
    {
      name: "browsers-run-what-the-page-is-made-of",
      severity: "error",
      from: { path: within("src/page", "src/live-metrics"), pathNot: "vite\\.config\\.ts$" },
      to: {
        dependencyTypes: ["core", "npm", "npm-dev", "npm-no-pkg"],
        pathNot: pageLibraries.map((library) => `node_modules/${library}/`),
      },
    },
    {
      name: "only-its-tests-import-the-page",
      severity: "error",
      from: { pathNot: within("src/page", "test/page") },
      to: { path: within("src/page") },
    },
    onlyImports("src/http", ["src/core"]),
    onlyImports("src/config", ["src/core", "src/validation", "src/files"]),
    onlyImports("src/api", [
      ...["src/core", "src/http", "src/validation", "src/todos", "src/conversations"],
      ...["src/batches", "src/keys", "src/config/keys"],
    ]),
    {
      name: "only-routes-touch-fastify-and-http",
      severity: "error",
      from: { path: within("src/api"), pathNot: "routes?\\.ts$" },
      to: { path: ["node_modules/fastify/", ...within("src/http")] },
    },
    {
      // These four are shared; they import no API.
      name: "apis-do-not-import-each-other",
      severity: "error",
      from: { path: "^src/api/([^/]+)/" },
      to: {
        path: "^src/api/[^/]+/",
        pathNot: [
          "^src/api/$1/",
          ...within("src/api/description", "src/api/answers", "src/api/fields", "src/api/models"),
        ],
      },
    },
    onlyImports("src/api/answers", [], { among: "src/api" }),
    onlyImports("src/api/fields", ["src/api/description", "src/api/answers"], { among: "src/api" }),
    onlyImports("src/api/models", ["src/api/description", "src/api/answers", "src/api/fields"], {
      among: "src/api",
    }),
    onlyImports("src/api/description", [], { among: "src/api" }),
    {
      name: "only-the-todo-routes-use-the-todo-store",
      severity: "error",
      from: { path: within("src/api"), pathNot: within("src/api/todos") },
      to: { path: within("src/todos") },
    },
    {
      name: "only-responses-use-the-conversations",
      severity: "error",
      from: { path: within("src/api"), pathNot: within("src/api/responses") },
      to: { path: within("src/conversations") },
    },
    {
      name: "only-the-routes-of-keys-use-the-key-store",
      severity: "error",
      from: { path: within("src/api"), pathNot: within("src/api/keys") },
      to: { path: within("src/keys", "src/config/keys") },
    },
    {
      name: "only-batches-use-the-batches",
      severity: "error",
      from: {
        path: within("src/api"),
        pathNot: [
          ...within("src/api/batches", "src/api/anthropic/batches"),
          "^src/api/fields/batches\\.ts$",
        ],
      },
      to: { path: within("src/batches") },
    },
    livesIn(
      "node-llama-cpp",
      "src/engine/native",
      "src/engine/memory",
      "src/engine/loading",
      "src/engine/text/vocabulary",
    ),
    livesIn("@huggingface/jinja", "src/engine/text/prompt"),
    livesIn("p-queue", "src/queue", "src/media", "src/process", "src/serve"),
    livesIn("sharp", "src/engine/media"),
    livesIn("@fastify/cors", "src/http"),
    livesIn("@fastify/busboy", "src/http"),
    livesIn("lowdb", "src/todos"),
    livesIn("libsql", "src/usage"),
    livesIn("undici", "src/models/pull", "src/cli/daemon", "src/media"),
    livesIn("sorted-btree", "src/todos/collection"),
    livesIn("zod-openapi", "src/api"),
    livesIn("prom-client", "src/telemetry/metrics"),
    livesIn("@opentelemetry", "src/telemetry/tracing"),
    livesIn("yaml", "src/api/description", "src/config"),
    livesIn("swagger-ui-dist", "src/api/description"),
    livesIn("@modelcontextprotocol/sdk", "src/mcp"),
    livesIn("jose", "src/identity"),
    livesIn("@fastify/static", "src/http"),
    ...pageLibraries.map((library) => livesIn(library, "src/page")),
    {
      name: "what-ships-imports-only-itself",
      severity: "error",
      from: { path: within("src") },
      to: { path: within("bench", "docs", "models", "test") },
    },
    {
      name: "bench-knows-the-engine-only-from-its-entrance",
      severity: "error",
      from: { path: within("bench") },
      to: {
        path: within("src"),
        pathNot: [
          ...within("src/core"),
          "^src/engine/llama-engine\\.ts$",
          "^src/engine/step/step-report\\.ts$",
          // What `bench schemas` measures has no model and no server.
          ...within("src/grammar"),
          "^src/engine/grammar-vocabulary\\.ts$",
          ...within("src/engine/text/vocabulary"),
        ],
      },
    },
    onlyImports("bench", ["models/random", "models/gguf", "models/command-line"], {
      among: "(bench|docs|models|test)",
    }),
    onlyImports("models/command-line", [], { among: "(bench|docs|models|test)" }),
    onlyImports("models/gguf", ["models/command-line"], { among: "(bench|docs|models|test)" }),
    onlyImports("models/random", ["models/command-line", "models/gguf"], {
      among: "(bench|docs|models|test)",
    }),
    onlyImports("models/training", ["models/command-line", "models/gguf", "models/random"], {
      among: "(bench|docs|models|test)",
    }),
    {
      name: "training-is-fenced-off",
      severity: "error",
      from: { pathNot: within("models/training", "test/models/training") },
      to: { path: within("models/training") },
    },
    {
      // What several folders of tests need is in test/support, or beside the folders that need it.
      name: "folders-of-tests-share-only-support",
      severity: "error",
      from: { path: "^test/([^/]+)/" },
      to: { path: "^test/[^/]+/", pathNot: ["^test/$1/", ...within("test/support")] },
    },
    {
      name: "only-its-tests-import-bench",
      severity: "error",
      from: { path: within("test"), pathNot: within("test/bench") },
      to: { path: within("bench") },
    },
    {
      name: "only-their-tests-import-the-generators-of-documents",
      severity: "error",
      from: { pathNot: within("docs", "test/docs") },
      to: { path: within("docs") },
    },
    {
      name: "nothing-imports-a-test",
      severity: "error",
      from: {},
      to: { path: "\\.test\\.ts$" },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      // src/todos/todo.ts is the item that its modules share; an API's v1 stands inside its folder.
      name: "no-cycles-between-modules",
      severity: "error",
      scope: "folder",
      from: { path: "^src/engine/" },
      to: { circular: true },
    },
    {
      // What test/clients imports is installed for its own suite, which checks the types of it; the types of the
      // typed client are written when types are checked.
      name: "no-unresolved",
      severity: "error",
      from: { pathNot: within("test/clients") },
      to: { couldNotResolve: true, pathNot: "api-types" },
    },
    {
      name: "no-orphans",
      severity: "error",
      from: {
        orphan: true,
        path: "^src/",
        pathNot: "^src/((process/engine-)?main|page/style/apply-theme)\\.ts$|\\.d\\.ts$",
      },
      to: {},
    },
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^test/(contract|clients)/node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "types"],
    },
  },
};
