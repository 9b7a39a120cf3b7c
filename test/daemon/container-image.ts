import { execFile } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import dockerignore from "@balena/dockerignore";
import {
  Copy,
  DockerfileParser,
  Env,
  From,
  type Instruction,
  JSONInstruction,
  type ModifiableInstruction,
  Run,
} from "dockerfile-ast";

/**
 * Container described by a Dockerfile, whose paths are mapped to a folder that stands for its root.
 */
export interface ContainerImage {
  /** Path on this machine of a path in the image. */
  inside(path: string): string;
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** User and group, by number. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** `ENTRYPOINT` and `CMD`. */
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  readonly stopSignal: string;
  readonly exposedPort: string;
  readonly volumes: readonly string[];
}

const execute = promisify(execFile);

/** The build's context: the checkout. */
const context = fileURLToPath(new URL("../..", import.meta.url));
/** Its types are those of an ES module, but its code is CommonJS. */
const parseIgnored = dockerignore as unknown as typeof dockerignore.default;
const ignored = parseIgnored().add(readFileSync(join(context, ".dockerignore"), "utf8"));

/**
 * `RUN` commands that need the network, another system, or minutes. The companion has a separate
 * test.
 */
const LEFT_OUT: readonly RegExp[] = [
  /^apt-get /,
  /^rm -rf \/var\/lib\/apt\/lists\/\*$/,
  /\/companion\/native\/build\.sh /,
];

/**
 * Simulates an image build in folders, without a container: its stages have the files that `COPY`
 * copies, and their `RUN` commands are executed. Packages come from the checkout instead of the
 * registry.
 * @param folder an empty one, on the file system of the checkout or not
 * @throws for unsupported instructions, and with the output of a failed command
 */
export async function buildImage(dockerfile: string, folder: string): Promise<ContainerImage> {
  const text = readFileSync(join(context, dockerfile), "utf8");
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    if (instruction instanceof From) {
      const name = instruction.getBuildStage() ?? "final";
      stage = new Stage(join(folder, name), instruction.getImageName() ?? "");
      stages.set(name, stage);
    } else if (stage === undefined) {
      throw new Error(`${instruction.getKeyword()} before FROM`);
    } else {
      await stage.follow(instruction, stages);
    }
  }
  if (stage === undefined) throw new Error(`${dockerfile}: no FROM`);
  return stage;
}

/** Stage of a Dockerfile. Of its base image it has only Node.js, if that is the image's purpose. */
class Stage implements ContainerImage {
  readonly #root: string;
  #workingFolder = "/";
  #entryPoint: readonly string[] = [];
  #arguments: readonly string[] = [];
  readonly environment: Record<string, string> = {};
  user = { uid: 0, gid: 0 };
  healthCheck: readonly string[] = [];
  stopSignal = "";
  exposedPort = "";
  volumes: readonly string[] = [];

  constructor(root: string, baseImage: string) {
    this.#root = root;
    mkdirSync(join(root, "usr/local/bin"), { recursive: true });
    if (baseImage === "node") symlinkSync(process.execPath, this.inside("/usr/local/bin/node"));
  }

  get workingFolder(): string {
    return this.inside(".");
  }

  get command(): readonly string[] {
    return [...this.#entryPoint, ...this.#arguments];
  }

  inside(path: string): string {
    return join(this.#root, posix.resolve(this.#workingFolder, path));
  }

  async follow(instruction: Instruction, stages: ReadonlyMap<string, Stage>): Promise<void> {
    if (instruction instanceof Env) return this.#setEnvironment(instruction);
    if (instruction instanceof Copy) return this.#copy(instruction, stages);
    if (instruction instanceof Run) return this.#run(instruction);
    const [word = ""] = wordsOf(instruction);
    switch (instruction.getKeyword()) {
      case "WORKDIR":
        this.#workingFolder = word;
        mkdirSync(this.workingFolder, { recursive: true });
        break;
      case "USER":
        this.user = userOf(word);
        break;
      case "ENTRYPOINT":
        this.#entryPoint = jsonWordsOf(instruction);
        break;
      case "CMD":
        this.#arguments = jsonWordsOf(instruction);
        break;
      case "HEALTHCHECK":
        this.healthCheck = healthCheckOf(instruction);
        break;
      case "STOPSIGNAL":
        this.stopSignal = word;
        break;
      case "EXPOSE":
        this.exposedPort = word;
        break;
      case "VOLUME":
        this.volumes = jsonWordsOf(instruction);
        break;
      case "LABEL":
        break;
      default:
        throw new Error(`${instruction.getKeyword()}: not known here`);
    }
  }

  #setEnvironment(instruction: Env): void {
    for (const property of instruction.getProperties()) {
      const value = property.getValue() ?? "";
      this.environment[property.getName()] = value.startsWith("/") ? this.inside(value) : value;
    }
  }

  async #copy(instruction: Copy, stages: ReadonlyMap<string, Stage>): Promise<void> {
    const words = wordsOf(instruction);
    const target = words.at(-1) ?? "";
    const from = flagOf(instruction, "from");
    const owner = flagOf(instruction, "chown");
    for (const source of words.slice(0, -1)) {
      const origin = from === undefined ? join(context, source) : stages.get(from)?.inside(source);
      if (origin === undefined) throw new Error(`COPY --from=${from}: there is no such stage`);
      const isIntoFolder = target.endsWith("/") && !statSync(origin).isDirectory();
      const copy = this.inside(isIntoFolder ? posix.join(target, basename(source)) : target);
      mkdirSync(dirname(copy), { recursive: true });
      if (from === undefined) copyFromContext(origin, copy);
      else await link(origin, copy);
      if (owner !== undefined && isRoot()) {
        const { uid, gid } = userOf(owner);
        chownSync(copy, uid, gid);
      }
    }
  }

  async #run(instruction: Run): Promise<void> {
    const commands = wordsOf(instruction)
      .join(" ")
      .split(" && ")
      .filter((command) => !LEFT_OUT.some((pattern) => pattern.test(command)));
    const [first = ""] = commands;
    if (first.startsWith("npm ci ")) {
      commands.shift();
      await linkPackages(
        this.inside("node_modules"),
        first.includes("--omit=dev") ? "production" : "all",
      );
    }
    const script = commands.join(" && ").replaceAll(/(?<=^|\s)\/(?=\w)/g, `${this.#root}/`);
    await execute("sh", ["-euc", script], {
      cwd: this.workingFolder,
      env: {
        PATH: process.env.PATH,
        HOME: this.#root,
        npm_config_update_notifier: "false",
        ...this.environment,
      },
    }).catch((error: Error & { stdout?: string }) => {
      // Compilers print their errors there.
      throw new Error(`${error.message}${error.stdout}`, { cause: error });
    });
  }
}

/** Whether files can be given to other users, and processes started as them. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function wordsOf(instruction: Instruction): string[] {
  return instruction.getArguments().map((argument) => argument.getValue());
}

function flagOf(instruction: ModifiableInstruction, name: string): string | undefined {
  return (
    instruction
      .getFlags()
      .find((flag) => flag.getName() === name)
      ?.getValue() ?? undefined
  );
}

function userOf(owner: string): { uid: number; gid: number } {
  const [uid = Number.NaN, gid = uid] = owner.split(":").map(Number);
  if (!Number.isInteger(uid) || !Number.isInteger(gid)) throw new Error(`${owner}: not numbers`);
  return { uid, gid };
}

function jsonWordsOf(instruction: Instruction): readonly string[] {
  if (!(instruction instanceof JSONInstruction) || instruction.getOpeningBracket() === null) {
    throw new Error(`${instruction.getKeyword()}: expected an array of JSON`);
  }
  return JSON.parse(instruction.getArgumentsContent() ?? "");
}

function healthCheckOf(instruction: Instruction): readonly string[] {
  const text = instruction.getArgumentsContent() ?? "";
  const command = /\bCMD\s+(\[.+\])$/s.exec(text)?.[1];
  if (command === undefined) throw new Error("HEALTHCHECK: expected CMD with an array of JSON");
  return JSON.parse(command);
}

/**
 * Docker refuses files that `.dockerignore` excludes from the context, and skips such files of a
 * folder.
 */
function copyFromContext(origin: string, copy: string): void {
  if (ignored.ignores(relative(context, origin))) {
    throw new Error(`COPY ${relative(context, origin)}: it is not in the build's context`);
  }
  cpSync(origin, copy, {
    recursive: true,
    filter: (file) => !ignored.ignores(relative(context, file)),
  });
}

/** The packages of the checkout as `npm ci` would install them. */
async function linkPackages(folder: string, which: "all" | "production"): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const source = join(context, "node_modules");
  if (which === "all") {
    await link(source, folder);
    return;
  }
  const { packages } = JSON.parse(readFileSync(join(context, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; link?: boolean }>;
  };
  for (const [path, { dev = false, link: isLink = false }] of Object.entries(packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    // Those of other systems are in the lock, and not installed.
    if (name === undefined || dev || isLink || !existsSync(join(source, name))) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    await link(join(source, name), join(folder, name));
  }
}

/** Copies a file or a folder, without its bytes where that is possible. */
async function link(origin: string, copy: string): Promise<void> {
  try {
    await execute("cp", ["-al", "--no-target-directory", origin, copy]);
  } catch {
    await execute("cp", ["-a", "--no-target-directory", origin, copy]);
  }
}
