import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isFileUrl, MediaFolder } from "../../src/media/media-folder.js";
import { rejection } from "../support/refusal.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** A folder `media` next to a file `secret.png`, with files, a folder and links. */
async function openFolder(): Promise<MediaFolder> {
  const parent = await temporaryFolder();
  const folder = join(parent, "media");
  await mkdir(join(folder, "cats"), { recursive: true });
  await writeFile(join(folder, "cats", "1 %41.png"), "a cat");
  await writeFile(join(folder, "large.png"), "x".repeat(101));
  await writeFile(join(parent, "secret.png"), "a secret");
  await symlink(join(folder, "cats", "1 %41.png"), join(folder, "link.png"));
  await symlink(join(parent, "secret.png"), join(folder, "leak.png"));
  return new MediaFolder(folder, 100);
}

describe("a file of the media folder", () => {
  test.each(["file://cats/1 %41.png", "FILE://link.png", "file:////cats//1 %41.png"])(
    "is read by its path below the folder, without escapes: %s",
    async (url) => {
      const folder = await openFolder();
      expect((await folder.read(url, "image")).toString()).toBe("a cat");
    },
  );

  test.each([
    "file://../secret.png",
    "file://leak.png",
    "file:///etc/passwd",
    "file://cats",
    "file://",
    "file://nothing.png",
    "file://a\0.png",
  ])(
    "is refused in the same words outside of the folder and if it does not exist: %j",
    async (url) => {
      const folder = await openFolder();
      expect(await rejection(folder.read(url, "image"))).toMatchObject({
        code: "invalid_request",
        message: expect.stringMatching(
          /^image: expected the path of a file below --media-path, got /,
        ),
      });
    },
  );

  test("is refused if it is too large", async () => {
    const folder = await openFolder();
    expect(await rejection(folder.read("file://large.png", "image"))).toMatchObject({
      message: expect.stringContaining("expected at most 100 bytes, got 101"),
    });
  });
});

test.each([
  ["file://a.png", true],
  ["https://example.com/file://a.png", false],
  ["data:image/png;base64,AAAA", false],
])("whether a URL names a file of this machine: %s", (url, is) => {
  expect(isFileUrl(url)).toBe(is);
});
