import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { flagOf, settingNames, settings } from "../../src/config/settings.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

const texts = ["README.md", ...filesIn("docs"), ...filesIn("deploy")].filter((path) =>
  /\.(md|ya?ml|service|conf|cfg|rules)$/.test(path),
);

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) =>
    join(folder, path),
  );
}

/** `--drain-timeout` (30 s), --itl-target-ms, 150 unless it is set */
const STATED =
  /`?(?<flag>--[a-z-]+)`?(?: \(|, )(?<amount>[\d,]+)(?: (?<unit>s|ms|MiB|GiB))?(?:\)| unless it is set)/g;

const MEBIBYTES_PER_GIBIBYTE = 1024;

const stated = texts.flatMap((path) =>
  [...readFileSync(join(root, path), "utf8").matchAll(STATED)].map(({ groups = {} }) => {
    const amount = Number(groups.amount?.replaceAll(",", ""));
    const value = groups.unit === "GiB" ? amount * MEBIBYTES_PER_GIBIBYTE : amount;
    return { path, flag: groups.flag ?? "", value };
  }),
);

it("defaults are found in several documents", () => {
  expect(new Set(stated.map(({ path }) => path)).size).toBeGreaterThan(3);
  expect(new Set(stated.map(({ flag }) => flag)).size).toBeGreaterThan(3);
});

it.each(stated)("the default of $flag in $path is $value", ({ flag, value }) => {
  const name = settingNames.find((one) => flagOf(one) === flag);
  expect(name && settings[name].schema.safeParse(undefined).data).toBe(value);
});
