// Where events may go: to the internet, and nowhere that only we can reach.
import type { LookupAddress } from 'node:dns'
import { describe, expect, it } from 'vitest'
import { isWithinReach, lookupWithin } from './http-client.js'

describe('an address', () => {
  it.each([
    '1.1.1.1',
    '41.111.148.26',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '192.0.3.1',
    '2606:4700:4700::1111',
    '2a00:1450:4007:80e::200e',
  ])('%s is public', (address) => {
    expect(isWithinReach(address, 'public')).toBe(true)
  })

  it.each([
    ['0.0.0.0', 'this network'],
    ['10.1.2.3', 'private'],
    ['100.64.0.1', 'shared by a carrier'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['169.254.169.254', 'link-local, the metadata of a cloud'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['198.18.0.1', 'benchmarks'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::ffff:10.0.0.1', 'mapped'],
    ['::ffff:7f00:1', 'mapped, in hex'],
    ['::ffff:1.1.1.1', 'mapped: no such address is published'],
    ['64:ff9b::a00:1', 'NAT64'],
    ['2001::1', 'Teredo'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', '6to4'],
    ['fc00::1', 'unique local'],
    ['fd12:3456:789a::1', 'unique local'],
    ['fe80::1', 'link-local'],
    ['ff02::1', 'multicast'],
    ['localhost', 'a name'],
    ['', 'nothing'],
  ])('%s is not public (%s)', (address) => {
    expect(isWithinReach(address, 'public')).toBe(false)
  })

  it('of this machine is within reach of a sandbox, one of its network is not', () => {
    expect(['127.0.0.1', '::1', '1.1.1.1'].map((one) => isWithinReach(one, 'loopback'))).toEqual([
      true,
      true,
      true,
    ])
    expect(['10.0.0.1', '169.254.169.254', 'fe80::1'].some((one) => isWithinReach(one, 'loopback'))).toBe(
      false,
    )
  })

  it('of any kind is within reach when private ones are allowed', () => {
    expect(['10.0.0.1', '127.0.0.1', 'fd00::1'].every((one) => isWithinReach(one, 'any'))).toBe(true)
  })
})

describe('a name', () => {
  /** A name server that says what the test wants, in the form of `dns.lookup` with `all`. */
  const resolve = (found: readonly string[], all: boolean) =>
    new Promise<{ code: string | null; address: unknown }>((answer) => {
      const addresses = found.map(
        (address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }),
      )
      const lookup = (
        _name: string,
        _options: object,
        callback: (error: null, found: LookupAddress[]) => void,
      ) => callback(null, addresses)
      // One of the overloads of dns.lookup, the one that is used.
      lookupWithin('public', lookup as never)('host.example', { all }, (error, address) =>
        answer({ code: error?.name ?? null, address }),
      )
    })

  it('that leads to a private address is refused', async () => {
    for (const all of [true, false]) {
      expect(await resolve(['10.0.0.1', '::1'], all)).toMatchObject({ code: 'AddressRefused' })
    }
  })

  it('that leads to public and private ones leads to the public ones only', async () => {
    expect(await resolve(['10.0.0.1', '1.1.1.1'], true)).toEqual({
      code: null,
      address: [{ address: '1.1.1.1', family: 4 }],
    })
    expect(await resolve(['::1', '1.1.1.1'], false)).toEqual({ code: null, address: '1.1.1.1' })
  })
})
