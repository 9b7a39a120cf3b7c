import { isIPv4 } from "node:net";

/**
 * Whether an IP address is a loopback address, also as an IPv4-mapped IPv6 address, in which form
 * dual-stack sockets report IPv4 addresses.
 */
export function isLoopbackAddress(text: string): boolean {
  const address = text.replace(/^::ffff:(?=\d+\.)/, "");
  return isIPv4(address) ? address.startsWith("127.") : address === "::1";
}
