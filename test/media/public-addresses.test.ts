import fc from "fast-check";
import { expect, test } from "vitest";
import { isPublicAddress } from "../../src/media/public-addresses.js";

test.each([
  "8.8.8.8",
  "1.1.1.1",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "100.128.0.1",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ["this network", "0.0.0.0"],
  ["a private network", "10.1.2.3"],
  ["a private network", "172.16.0.1"],
  ["a private network", "172.31.255.255"],
  ["a private network", "192.168.1.1"],
  ["carrier-grade NAT", "100.64.0.1"],
  ["loopback", "127.0.0.1"],
  ["loopback", "127.255.255.254"],
  ["link-local, including cloud metadata", "169.254.169.254"],
  ["benchmarking", "198.18.0.1"],
  ["documentation", "203.0.113.5"],
  ["multicast", "224.0.0.1"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["loopback", "::1"],
  ["unspecified", "::"],
  ["an IPv4-mapped address", "::ffff:8.8.8.8"],
  ["an IPv4-mapped loopback address", "::ffff:127.0.0.1"],
  ["a NAT64 address", "64:ff9b::7f00:1"],
  ["a private network", "fd00::1"],
  ["a link", "fe80::1"],
  ["Teredo", "2001:0:4136:e378::1"],
  ["6to4 of a private address", "2002:c0a8:101::1"],
  ["documentation", "2001:db8::1"],
  ["multicast", "ff02::1"],
  ["no address", "localhost"],
  ["no address", ""],
  ["an address with a zone", "fe80::1%eth0"],
])("%s is not public: %s", (_, address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test("the result is a boolean for any text", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (address) => {
      expect(typeof isPublicAddress(address)).toBe("boolean");
    }),
  );
});
