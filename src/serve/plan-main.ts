/** Entry point of the process that plans: it reads model files with native code, which may end it. */
import { reasonOf } from "../core/reason-of.js";
import { setUpChild } from "../process/set-up-child.js";
import type { FromPlanner, ToPlanner } from "./plan-process.js";
import { plannedUse, planSpecs } from "./plan-specs.js";

const send: (answer: FromPlanner) => void = setUpChild("ggufd plan");

process.on("message", ({ models, machine }: ToPlanner) => {
  planSpecs(models, machine).then(
    (report) => send({ type: "planned", plan: { report, uses: report.models.map(plannedUse) } }),
    (error: unknown) => send({ type: "refused", reason: reasonOf(error) }),
  );
});
