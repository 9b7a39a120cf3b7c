import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";

/** File type and permissions, as in `st_mode`. */
interface FileMode {
  readonly mode: number;
}

const { S_IFMT, S_IFREG, S_IFDIR, S_IFIFO, S_IFSOCK } = constants;

/**
 * Refuses a path that names something other than a regular file. Opening a FIFO blocks until
 * another process opens its other end, opening a device can change its state, and neither can be
 * replaced or locked.
 * @param stats of the path, with symbolic links followed
 * @throws {Error} naming what the path is
 */
export function expectRegularFile({ mode }: FileMode): void {
  if ((mode & S_IFMT) !== S_IFREG) throw new Error(`expected a file, got ${kindOf(mode)}`);
}

/**
 * Refuses a path that names something other than a folder.
 * @param stats of the path, with symbolic links followed
 * @throws {Error} naming what the path is
 */
export function expectFolder({ mode }: FileMode): void {
  if ((mode & S_IFMT) !== S_IFDIR) throw new Error(`expected a folder, got ${kindOf(mode)}`);
}

function kindOf(mode: number): string {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return "a file";
    case S_IFDIR:
      return "a folder";
    case S_IFIFO:
      return "a named pipe (FIFO)";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

/**
 * Flag of `open` that does not wait for the other end of a FIFO. Windows has no such flag, and no
 * FIFO in its file system.
 */
export const NON_BLOCKING = constants.O_NONBLOCK ?? 0;

/**
 * Reads a regular file, following symbolic links. Never blocks on a FIFO: the path is checked
 * before it is opened, and the open file again, because the path may have changed in between.
 * @throws {Error} for a larger file, and for anything that is not a regular file
 */
export function readRegularFile(path: string, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  expectRegularFile(statSync(path));
  const descriptor = openSync(path, constants.O_RDONLY | NON_BLOCKING);
  try {
    const stats = fstatSync(descriptor);
    expectRegularFile(stats);
    if (stats.size > maxBytes) {
      throw new Error(`expected at most ${maxBytes} bytes, got ${stats.size}`);
    }
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const OUTPUT_DESCRIPTORS = [1, 2];

/**
 * Creates a file to append to, if it does not exist. In addition to regular files, accepts the null
 * device and this process's standard output and error (`/dev/stderr`), whatever their types.
 * @param mode permissions of a new file
 * @throws {Error} when the path names something else, or cannot be opened
 */
export function createAppendable(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined) expectAppendable(found);
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | NON_BLOCKING;
  const descriptor = openSync(path, flags, mode);
  try {
    expectAppendable(fstatSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Refuses a path that nothing can be appended to.
 * @param stats of the path, with symbolic links followed
 * @throws {Error} naming what the path is
 */
export function expectAppendable(stats: Stats): void {
  const outputs = OUTPUT_DESCRIPTORS.map((descriptor) => fstatSync(descriptor));
  const allowed = [...outputs, statSync("/dev/null", { throwIfNoEntry: false })];
  if (allowed.some((other) => other?.dev === stats.dev && other.ino === stats.ino)) return;
  expectRegularFile(stats);
}
