// Which addresses may be called when a configuration or a user names them: public ones. A name is looked up once and the checked
// address is the one connected to, so that a name server cannot answer differently the second time.
import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** `public`: the internet only. `loopback`: this machine as well. `any`: private networks too. */
export type Reach = 'public' | 'loopback' | 'any'

/** Not a failure of the network: we refuse to go there. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/**
 * Ranges that are not public (IANA IPv4 and IPv6 Special-Purpose Address Registries), and those that embed an IPv4
 * address (mapped, NAT64, 6to4, Teredo), which could be a private one.
 */
const NOT_PUBLIC: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers (CGNAT)
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, and the metadata of most clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relay
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]
/** All public IPv6 unicast lies in 2000::/3; the rest is refused as a whole, and these inside it. */
const GLOBAL_UNICAST = blockListOf([['2000::', 3]])
const NOT_PUBLIC_IPV6: typeof NOT_PUBLIC = [
  ['2001::', 23], // protocol assignments, Teredo among them
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
]

const refused = blockListOf(NOT_PUBLIC)
const refusedIpv6 = blockListOf(NOT_PUBLIC_IPV6)
const loopback = blockListOf([
  ['127.0.0.0', 8],
  ['::1', 128],
])

/** `address` is a literal IP address; anything else is not reachable. */
export function isWithinReach(address: string, reach: Reach): boolean {
  const version = isIP(address)
  if (version === 0) return false
  const family = version === 4 ? 'ipv4' : 'ipv6'
  if (reach === 'any') return true
  if (reach === 'loopback' && loopback.check(address, family)) return true
  if (version === 4) return !refused.check(address, 'ipv4')
  return GLOBAL_UNICAST.check(address, 'ipv6') && !refusedIpv6.check(address, 'ipv6')
}

/** For `http.request`, which calls it for names only: literal addresses are checked with `isWithinReach`. */
export function lookupWithin(reach: Reach, lookup: typeof systemLookup = systemLookup): LookupFunction {
  return (hostname, options, answer) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return answer(error, '', 0)
      const allowed = found.filter(({ address }) => isWithinReach(address, reach))
      const [first] = allowed
      if (!first) return answer(refusal(hostname), '', 0)
      return options.all ? answer(null, allowed) : answer(null, first.address, first.family)
    })
  }
}

export function refusal(host: string): AddressRefused {
  return new AddressRefused(`${host} is not a public address (EVENTS_ALLOW_PRIVATE=true allows it)`)
}

function blockListOf(networks: readonly (readonly [network: string, prefix: number])[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of networks) {
    list.addSubnet(network, prefix, network.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}
