import { once } from "node:events";
import { chmod, lstat, stat, unlink } from "node:fs/promises";
import { connect } from "node:net";
import { dirname } from "node:path";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";

/** Access for the daemon's user and group. */
const MODE = 0o660;

/**
 * Removes a stale socket file left by a killed daemon.
 * @param flag the setting that names the path, for errors
 * @throws {StartupError} a process listens on the socket, the path is another kind of file, or its
 *   folder does not exist
 */
export async function removeStaleSocket(path: string, flag: string): Promise<void> {
  const setting = `${flag} unix:${path}`;
  await expectFolder(dirname(path), setting);
  const file = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new StartupError(`${setting}: cannot be inspected: ${formatReason(error)}`, error);
  });
  if (file === undefined) return;
  if (!file.isSocket()) {
    throw new StartupError(
      `${setting}: expected an unused path or a socket, got another kind of file`,
    );
  }
  switch (await probeSocket(path, setting)) {
    case "listening":
      throw new StartupError(`${setting}: another process is listening; choose another path`);
    case "left":
      await unlink(path).catch((error: unknown) => {
        if (codeOf(error) === "ENOENT") return;
        throw new StartupError(`${setting}: cannot be removed: ${formatReason(error)}`, error);
      });
      return;
    case "gone":
      return;
  }
}

/** Restricts a socket to its owner and group. */
export async function restrictSocket(path: string): Promise<void> {
  await chmod(path, MODE);
}

async function expectFolder(folder: string, settingName: string): Promise<void> {
  const isFolder = await stat(folder).then(
    (file) => file.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new StartupError(`${settingName}: expected the folder ${folder} to exist`);
}

type SocketState = "listening" | "left" | "gone";

/** @throws {StartupError} if the state cannot be determined */
async function probeSocket(path: string, settingName: string): Promise<SocketState> {
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
        // The listen backlog is full.
        return "listening";
    }
    throw new StartupError(`${settingName}: cannot be connected to: ${formatReason(error)}`, error);
  } finally {
    socket.destroy();
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
