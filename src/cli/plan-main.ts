/** Entry point of the process that plans: it reads model files with native code, which may end it. */
import { reasonOf } from "../core/reason-of.js";
import { setUpChild } from "../process/set-up-child.js";
import { runPlan } from "./plan-command.js";
import type { FromPlanner, ToPlanner } from "./plan-process.js";

const send: (answer: FromPlanner) => void = setUpChild("ggufd plan");

process.on("message", ({ models, options }: ToPlanner) => {
  runPlan(models, options).then(
    (text) => send({ type: "planned", text }),
    (error: unknown) => send({ type: "refused", reason: reasonOf(error) }),
  );
});
