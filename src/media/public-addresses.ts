import { BlockList, isIP } from "node:net";

/**
 * Networks outside the public internet, or that relay to such networks: IANA's registry of
 * special-purpose addresses (https://www.iana.org/assignments/iana-ipv4-special-registry),
 * multicast and reserved addresses.
 */
const NOT_PUBLIC_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/**
 * Global unicast addresses (RFC 4291), the only IPv6 addresses assigned to hosts of the internet.
 */
const GLOBAL_UNICAST = "2000::/3";
/**
 * Global unicast networks for protocols or documentation, or with embedded IPv4 addresses: Teredo
 * and 6to4.
 */
const NOT_PUBLIC_IPV6 = [
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
];

const nonPublicNetworks = createBlockList([...NOT_PUBLIC_IPV4, ...NOT_PUBLIC_IPV6]);
const globalUnicastNetworks = createBlockList([GLOBAL_UNICAST]);

/**
 * Whether an address can belong to a host on the public internet rather than to this machine or its
 * local network.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !nonPublicNetworks.check(address, "ipv4");
    case 6:
      return (
        globalUnicastNetworks.check(address, "ipv6") && !nonPublicNetworks.check(address, "ipv6")
      );
    default:
      return false;
  }
}

function createBlockList(list: readonly string[]): BlockList {
  const blocks = new BlockList();
  for (const network of list) {
    const [address = "", prefix = ""] = network.split("/");
    blocks.addSubnet(address, Number(prefix), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  return blocks;
}
