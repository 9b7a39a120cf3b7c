import type { Workload } from "../workload.js";
import { listBySize } from "./list-by-size.js";
import { item, list, readsBesideWrites } from "./reads.js";
import { writes } from "./writes.js";

/** Workloads of `npm run bench -- todos`, in execution order. */
export const workloads: readonly Workload[] = [list, listBySize, item, readsBesideWrites, writes];
