import { accepted, choice, flag, type LlamaServerOption, refused, toggle } from "./option.js";

const mapped = "model files are mapped wherever the devices allow";

/** Options that llama.cpp has removed, which commands still have. */
export const formerOptions: readonly LlamaServerOption[] = [
  toggle("--mmap", "--no-mmap", { on: accepted(mapped), off: refused(mapped) }, "LLAMA_ARG_MMAP"),
  flag("--mlock", choice("--mlock"), "LLAMA_ARG_MLOCK"),
  toggle(
    "-dio --direct-io",
    "-ndio --no-direct-io",
    { on: refused(mapped), off: accepted(mapped) },
    "LLAMA_ARG_DIO",
  ),
];
