import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.js";
import { buildImage, type ContainerImage, isRoot } from "./container-image.js";
import { type Launched, launch, SEVERAL_STARTS, startScreenOf } from "./daemon.js";

/** Environment set by `docker run -e`. */
type Settings = Readonly<Record<string, string>>;

/**
 * Starts a program of an image as its container would, with only its Node.js, user and environment.
 */
function startIn(
  image: ContainerImage,
  [program = "", ...args]: readonly string[],
  set: Settings,
): Launched {
  return launch(image.inside(`/usr/local/bin/${program}`), args, {
    cwd: image.workingFolder,
    env: { PATH: "/usr/bin:/bin", ...image.environment, ...set },
    ...(isRoot() && image.user),
  });
}

/** The exit code of the image's `HEALTHCHECK`. */
async function healthOf(image: ContainerImage, set: Settings): Promise<unknown> {
  return (await startIn(image, image.healthCheck, set).exited).code;
}

const post = (url: string, body: object) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** Images for this processor, with the node-llama-cpp packages that they need. */
const images = [
  { dockerfile: "Dockerfile", libraries: [`linux-${process.arch}`] },
  { dockerfile: "Dockerfile.gpu", libraries: ["linux-x64", "linux-x64-cuda"] },
].filter(({ dockerfile }) => process.arch === "x64" || dockerfile === "Dockerfile");

describe.runIf(platform() === "linux")(
  "the image, run without a container, of",
  { timeout: SEVERAL_STARTS },
  () => {
    let folder: string;
    let built: ReadonlyMap<string, ContainerImage>;
    beforeAll(async () => {
      // Outside the checkout, where Node.js would find its packages.
      folder = mkdtempSync(join(tmpdir(), "ggufd-images-"));
      // Readable by the containers' user.
      chmodSync(folder, 0o755);
      const building = images.map(
        async ({ dockerfile }) =>
          [dockerfile, await buildImage(dockerfile, join(folder, dockerfile))] as const,
      );
      // The folder is removed after all builds have ended.
      await Promise.allSettled(building);
      built = new Map(await Promise.all(building));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    describe.each(images)("$dockerfile", ({ dockerfile, libraries }) => {
      let image: ContainerImage;
      beforeAll(() => {
        const found = built.get(dockerfile);
        if (found === undefined) throw new Error(`${dockerfile} is not built`);
        image = found;
      });

      it("contains the required libraries, and neither sources nor compilers", () => {
        const packages = image.inside("node_modules");
        expect(readdirSync(join(packages, "@node-llama-cpp")).toSorted()).toEqual(libraries);
        for (const path of ["typescript", "vitest", "node-llama-cpp/llama/gitRelease.bundle"]) {
          expect(existsSync(join(packages, path)), path).toBe(false);
        }
        expect(readdirSync(image.workingFolder).toSorted()).toEqual(
          ["LICENSE", "dist", "models", "node_modules", "package.json"].toSorted(),
        );
        for (const volume of image.volumes) expect(existsSync(image.inside(volume))).toBe(true);
        expect(image.exposedPort).toBe(image.environment.GGUFD_PORT);
      });

      it("starts, becomes healthy, answers and stops", async () => {
        const settings = {
          GGUFD_PORT: String(await freePort()),
          GGUFD_GPU: "off",
          GGUFD_THREADS: "1",
        };
        expect(await healthOf(image, settings)).toBe(1);
        const container = startIn(image, image.command, settings);
        expect(await startScreenOf(container)).toHaveProperty("url");
        expect(await healthOf(image, settings)).toBe(0);
        const url = `http://127.0.0.1:${settings.GGUFD_PORT}/v1`;
        const completion = await post(`${url}/completions`, {
          prompt: "Hi",
          max_tokens: 4,
          ignore_eos: true,
        });
        expect(await completion.json()).toMatchObject({ usage: { completion_tokens: 4 } });
        // The container's user can write its volumes.
        await expect(post(`${url}/todos`, { title: "Write" })).resolves.toHaveStatus(201);
        expect(existsSync(image.inside("/data/todos.json"))).toBe(true);
        container.child.kill(image.stopSignal as NodeJS.Signals);
        const { code, stderr } = await container.exited;
        expect(stderr).toMatch(
          /^\{"level":40,.*"listening on 0\.0\.0\.0 without an API key: .*\n$/,
        );
        expect(code).toBe(0);
      });

      it.runIf(dockerfile === "Dockerfile.gpu" && !existsSync("/dev/nvidiactl"))(
        "does not start without a GPU",
        async () => {
          const { code, stderr } = await startIn(image, image.command, {}).exited;
          expect(stderr).toMatch(/^ggufd: --gpu cuda is not available: .+\n$/);
          expect(code).toBe(1);
        },
      );
    });
  },
);
