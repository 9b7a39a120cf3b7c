import { once } from "node:events";
import { chmod, lstat, stat, unlink } from "node:fs/promises";
import { connect } from "node:net";
import { dirname } from "node:path";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";

/** Who may connect: the daemon's user, and its group. */
const MODE = 0o660;

/**
 * Makes room for the file of a Unix socket: one that a daemon has left which was killed is removed.
 * @throws {StartupError} somebody listens there, it is another file, or its folder does not exist
 */
export async function makeRoomForSocket(path: string): Promise<void> {
  const place = `--host unix:${path}`;
  await expectFolder(dirname(path), place);
  const file = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new StartupError(`${place}: cannot be inspected: ${reasonOf(error)}`, error);
  });
  if (file === undefined) return;
  if (!file.isSocket()) {
    throw new StartupError(`${place}: expected a free name or a socket, got another file`);
  }
  switch (await stateOf(path, place)) {
    case "listening":
      throw new StartupError(`${place}: another process listens on it; choose another`);
    case "left":
      await unlink(path).catch((error: unknown) => {
        if (codeOf(error) === "ENOENT") return;
        throw new StartupError(`${place}: cannot be removed: ${reasonOf(error)}`, error);
      });
      return;
    case "gone":
      return;
  }
}

/** Has the owner and the group of a socket connect to it, and nobody else. */
export async function restrictSocket(path: string): Promise<void> {
  await chmod(path, MODE);
}

async function expectFolder(folder: string, place: string): Promise<void> {
  const isFolder = await stat(folder).then(
    (file) => file.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new StartupError(`${place}: expected the folder ${folder} to exist`);
}

type SocketState = "listening" | "left" | "gone";

/** @throws {StartupError} it cannot be told */
async function stateOf(path: string, place: string): Promise<SocketState> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return "listening";
  } catch (error) {
    switch (codeOf(error)) {
      case "ECONNREFUSED":
        return "left";
      case "ENOENT":
        return "gone";
      case "EAGAIN":
        // More wait to be accepted than it takes.
        return "listening";
    }
    throw new StartupError(`${place}: cannot be connected to: ${reasonOf(error)}`, error);
  } finally {
    socket.destroy();
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
