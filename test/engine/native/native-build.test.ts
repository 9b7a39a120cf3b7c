import { describe, expect, it } from "vitest";
import { StartupError } from "../../../src/core/startup-error.js";
import { checkTools } from "../../../src/engine/native/build-tools.js";
import { llamaBuildTools } from "../../../src/engine/native/native-build.js";

const check = (...installed: string[]) =>
  checkTools("compiling llama.cpp", llamaBuildTools, (program) => installed.includes(program));

describe("the build tools", () => {
  it.each([[["git", "cmake", "make", "c++"]], [["git", "cmake", "ninja", "clang++"]]])(
    "are sufficient: %j",
    (installed) => {
      expect(() => check(...installed)).not.toThrow();
    },
  );

  it.each([
    [["git", "make", "g++"], "compiling llama.cpp needs CMake: not found"],
    [["cmake"], "compiling llama.cpp needs git, make or Ninja, a C++ compiler: not found"],
  ])("are insufficient, and the missing ones are named: %j", (installed, reason) => {
    expect(() => check(...installed)).toThrow(StartupError);
    expect(() => check(...installed)).toThrow(reason);
  });
});
