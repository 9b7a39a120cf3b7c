import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Patterns of test files by the suffix of their names, such as `x.native.test.ts`. */
const named = (...needs: readonly string[]) => needs.map((need) => `test/**/*.${need}.test.ts`);

/** Tests of the HTTP application over a scripted engine; each application takes 45 ms. */
const http = ["test/{api,http,serve}/**/*.test.ts", ...named("http")];
/** Tests that start processes, load llama.cpp, or take a second or more. */
const server = [
  "test/daemon/*.test.ts",
  "test/engine/{devices,loading,memory,native}/**/*.test.ts",
  ...named("process", "native", "slow"),
];
const real = ["test/real/**/*.test.ts"];
/** Tests in Chromium, which needs all cores. */
const browser = named("browser");
/** Files of half a minute and more about code that changes rarely: part of the gate, not of `npm test`. */
const long = named("long");
const longBrowser = ["test/page/browser/*.test.ts", ...named("long-browser")];
/** Tests on a GPU, or on a software driver for one. */
const vulkan = ["test/vulkan/**/*.test.ts"];
/** Clients that are too heavy for `npm test`. */
const clients = ["test/clients/*.test.ts"];
/** llama-server's own tests, which need pytest. */
const llamaServer = ["test/llama-server/upstream-tests.test.ts"];
/** Tests of the scripts that trained the shipped model. */
const training = ["test/models/training/**/*.test.ts"];

const SECOND_MS = 1000;

/** Time limit of tests with a process or a model, eight times what most of them take on a quiet machine. */
const slow = { testTimeout: 60 * SECOND_MS };
/** Time limit of tests on an emulated GPU, and of training. */
const verySlow = { testTimeout: 180 * SECOND_MS };
const refusesProcesses = { setupFiles: ["test/support/refuse-processes.ts"] };
/** One file at a time, after the other projects of a run. */
const alone = { maxWorkers: 1, sequence: { groupOrder: 1 } };
const buildsDaemon = { globalSetup: ["test/support/built-daemon.ts"] };

/**
 * A file belongs to the project of its folder or its suffix, otherwise to `unit`, whose tests start no process or
 * server, load no native library, and take less than a second.
 */
export default defineConfig({
  test: {
    // The longest unit test takes a second while three files share two cores.
    testTimeout: 10 * SECOND_MS,
    // A hook may load a model for all tests of its file.
    hookTimeout: 180 * SECOND_MS,
    // Many tests wait for processes and for the disk, and vitest's default is one file at a time on two cores.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // Files of a worker share its modules, because loading them for each file took a third of the CPU time. Test
    // modules therefore keep no state, and code that must be loaded afresh runs in a process.
    isolate: false,
    // Reuses compiled modules of earlier runs, which saves a fifth of the CPU time of a few files.
    experimental: { fsModuleCache: true },
    setupFiles: ["test/support/status-matcher.ts"],
    // Maximum length of values in messages and titles ($0, $name); %j and %s print them in full.
    chaiConfig: { truncateThreshold: 120 },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [
            ...[
              ...http,
              ...server,
              ...real,
              ...long,
              ...vulkan,
              ...training,
              ...clients,
              ...llamaServer,
            ],
            ...[...browser, ...longBrowser],
            "**/node_modules/**",
          ],
          ...refusesProcesses,
        },
      },
      {
        extends: true,
        test: { name: "http", include: http, exclude: [...server, ...long], ...refusesProcesses },
      },
      {
        extends: true,
        test: {
          name: "server",
          include: server,
          exclude: [...long, ...longBrowser],
          ...slow,
          ...buildsDaemon,
        },
      },
      { extends: true, test: { name: "long", include: long, ...slow, ...buildsDaemon } },
      { extends: true, test: { name: "browser", include: browser, ...slow, ...alone } },
      {
        extends: true,
        test: { name: "long-browser", include: longBrowser, ...slow, ...buildsDaemon, ...alone },
      },
      { extends: true, test: { name: "real", include: real, exclude: long, ...slow } },
      {
        extends: true,
        test: {
          name: "vulkan",
          include: vulkan,
          ...verySlow,
          // All files share one library, and the driver uses all cores anyway.
          maxWorkers: 1,
          setupFiles: ["test/vulkan/set-environment.ts"],
        },
      },
      { extends: true, test: { name: "training", include: training, ...verySlow } },
      {
        extends: true,
        test: { name: "llama-server", include: llamaServer, ...buildsDaemon },
      },
      {
        extends: true,
        test: { name: "clients", include: clients, ...slow, ...buildsDaemon, maxWorkers: 1 },
      },
    ],
  },
});
