import { describe, expect, it } from "vitest";
import { StartupError } from "../../../src/core/startup-error.js";
import { checkBuildTools } from "../../../src/engine/llama/build-tools.js";

const check = (...installed: string[]) => checkBuildTools((program) => installed.includes(program));

describe("compiling llama.cpp", () => {
  it.each([[["git", "cmake", "make", "c++"]], [["git", "cmake", "ninja", "clang++"]]])(
    "goes on with %j",
    (installed) => {
      expect(() => check(...installed)).not.toThrow();
    },
  );

  it.each([
    [["git", "make", "g++"], "compiling llama.cpp needs CMake: not found"],
    [["cmake"], "compiling llama.cpp needs git, make or Ninja, a C++ compiler: not found"],
  ])("with nothing but %j names what is missing", (installed, reason) => {
    expect(() => check(...installed)).toThrow(StartupError);
    expect(() => check(...installed)).toThrow(reason);
  });
});
