import { fileURLToPath } from "node:url";
import { SHIPPED_MODEL } from "../../src/config/settings.js";

/** The model that a fresh clone serves. */
export const shippedModel = fileURLToPath(new URL(`../../${SHIPPED_MODEL}`, import.meta.url));
