/**
 * Consecutive crashes of engines after which a request counts as their cause. All requests in a
 * crashed engine are suspects; each runs its last try alone, so only the culprit reaches this
 * number.
 */
export const MAX_CRASHES = 3;
