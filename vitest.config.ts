import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Test files whose names say what they need: `x.native.test.ts`. */
const named = (...needs: readonly string[]) => needs.map((need) => `test/**/*.${need}.test.ts`);

/** With the HTTP application over a scripted engine: an application takes 45 ms. */
const http = ["test/{api,http,serve}/**/*.test.ts", ...named("http")];
/** With processes, with llama.cpp, or with tests that take a second or more each. */
const server = [
  "test/daemon/*.test.ts",
  "test/engine/{devices,loading,memory,native}/**/*.test.ts",
  ...named("process", "native", "slow"),
];
const real = ["test/real/**/*.test.ts"];
/** Chromium needs the cores to itself. */
const browser = named("browser");
/** Half a minute and more for a file, about what changes seldom: the gate runs them, `npm test` does not. */
const long = named("long");
const longBrowser = ["test/page/browser/*.test.ts", ...named("long-browser")];
/** On a GPU, which a driver may compute on the CPU. */
const vulkan = ["test/vulkan/**/*.test.ts"];
/** Clients that are too heavy for `npm test`. */
const clients = ["test/clients/*.test.ts"];
/** llama-server's own tests, which need pytest. */
const llamaServer = ["test/llama-server/upstream-tests.test.ts"];
/** How the shipped model was made. */
const training = ["test/models/training/**/*.test.ts"];

const SECOND_MS = 1000;

/** Of tests with a process or a model. What takes more than an eighth of it on a quiet machine has a limit of its own. */
const slow = { testTimeout: 60 * SECOND_MS };
/** A GPU that is emulated on the CPU takes its time, and so does the training of a model. */
const verySlow = { testTimeout: 180 * SECOND_MS };
const refusesProcesses = { setupFiles: ["test/support/refuse-processes.ts"] };
/** One file at a time, after the other projects of a run. */
const alone = { maxWorkers: 1, sequence: { groupOrder: 1 } };
const buildsDaemon = { globalSetup: ["test/support/built-daemon.ts"] };

/**
 * A file belongs to the project that its folder or its name says, otherwise to `unit`: it starts no process and no
 * server, loads no native library, and none of its tests takes a second.
 */
export default defineConfig({
  test: {
    // Ends what hangs. The longest unit test takes a second where three files share two cores, which may be busy.
    testTimeout: 10 * SECOND_MS,
    // A hook may load a model for all tests of its file.
    hookTimeout: 180 * SECOND_MS,
    // Many tests wait for processes and for the disk: by default, two cores would run one file at a time.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // A worker keeps what it has loaded: for each file anew, loading took a third of all computing time.
    // So a module of the tests keeps no state beyond its file, and what must be loaded afresh is a process of its own.
    isolate: false,
    // What a run has compiled, the next one reads: a fifth of the computing time of a few files.
    experimental: { fsModuleCache: true },
    setupFiles: ["test/support/status-matcher.ts"],
    // Of values, in messages and in titles ($0, $name); %j and %s print them in full.
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
          // One library for all files; the driver takes all cores anyway.
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
