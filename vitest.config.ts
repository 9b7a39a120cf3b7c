import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const training = "test/models/training/**/*.test.ts";
const real = "test/real/**/*.test.ts";
const vulkan = "test/vulkan/**/*.test.ts";
const clients = "test/clients/*.test.ts";

/**
 * `server` is what ships and what its tests stand on; `real` are its tests with real models; `vulkan` those on a
 * GPU, which a driver may compute on the CPU; `training` is how the shipped model was made.
 */
export default defineConfig({
  test: {
    // Ends what hangs. What a test does may take a minute where three files share two cores.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Many tests wait for processes and for the disk: by default, two cores would run one file at a time.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // A worker keeps what it has loaded: for each file anew, loading took a third of all computing time.
    // So a module of the tests keeps no state beyond its file, and what must be loaded afresh is a process of its own.
    isolate: false,
    setupFiles: ["test/support/status-matcher.ts"],
    // Of values, in messages and in titles ($0, $name); %j and %s print them in full.
    chaiConfig: { truncateThreshold: 120 },
    projects: [
      {
        extends: true,
        test: {
          name: "server",
          include: ["test/**/*.test.ts"],
          exclude: [training, real, vulkan, clients, "**/node_modules/**"],
        },
      },
      { extends: true, test: { name: "real", include: [real] } },
      {
        extends: true,
        test: {
          name: "vulkan",
          include: [vulkan],
          // One library for all files; the driver takes all cores anyway.
          maxWorkers: 1,
          setupFiles: ["test/vulkan/set-environment.ts"],
        },
      },
      { extends: true, test: { name: "training", include: [training] } },
      { extends: true, test: { name: "clients", include: [clients], maxWorkers: 1 } },
    ],
  },
});
