const scratch = new DataView(new ArrayBuffer(4));

/**
 * Converts to the bits of an IEEE 754 half, rounding to nearest, ties to even, like
 * `GGML_FP32_TO_FP16`. Values beyond the largest half become infinite.
 */
export function toFloat16Bits(value: number): number {
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fff_ffff;
  if (magnitude > 0x7f80_0000) return sign | 0x7e00;
  if (magnitude >= 0x4780_0000) return sign | 0x7c00;
  if (magnitude < 0x3880_0000) {
    // Subnormal halves count in units of 2^-24; adding 2^52 leaves no bits below the unit.
    const units = Math.abs(scratch.getFloat32(0)) * 2 ** 24;
    return sign | (units + 2 ** 52 - 2 ** 52);
  }
  const rebased = magnitude - ((127 - 15) << 23);
  const roundingBias = 0x0fff + ((rebased >>> 13) & 1);
  return sign | ((rebased + roundingBias) >>> 13);
}

/** Converts the bits of an IEEE 754 half to a number. */
export function fromFloat16Bits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (0x400 + fraction) * 2 ** (exponent - 25);
}
