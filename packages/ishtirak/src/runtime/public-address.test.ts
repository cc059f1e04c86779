import { isWithinReach, lookupWithin, type Reach } from './http-client.js'

it('an address of the internet is public, one that only a network or a machine reaches is not', () => {
  const within = (reach: Reach) => (address: string) => isWithinReach(address, reach)
  const ofAll = [
    ...['1.1.1.1', '41.111.148.26', '172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0'],
    ...['192.0.3.1', '2606:4700:4700::1111', '2a00:1450:4007:80e::200e'],
  ]
  expect(ofAll.filter((address) => !within('public')(address))).toEqual([])
  const ofSome = [
    // This network, private, shared by a carrier, loopback, link-local (the metadata of a cloud).
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254', '172.16.0.1'],
    // Private, benchmarks, multicast, broadcast, unspecified, loopback.
    ...['172.31.255.255', '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1'],
    // Mapped ones, in hex too, even of a public one: no such address is published. NAT64, Teredo.
    ...['::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:1.1.1.1', '64:ff9b::a00:1', '2001::1'],
    // Documentation, 6to4, unique local, link-local, multicast, a name, nothing.
    ...['2001:db8::1', '2002:7f00:1::', 'fc00::1', 'fd12:3456:789a::1', 'fe80::1', 'ff02::1'],
    ...['localhost', ''],
  ]
  expect(ofSome.filter(within('public'))).toEqual([])
  // This machine is within reach of a sandbox, its network is not; private ones are where they are allowed.
  const machine = ['127.0.0.1', '::1', '1.1.1.1']
  expect([...machine, '10.0.0.1', '169.254.169.254', 'fe80::1'].filter(within('loopback'))).toEqual(machine)
  expect(['10.0.0.1', '127.0.0.1', 'fd00::1'].every(within('any'))).toBe(true)
})

describe('a name', () => {
  /** A name server that says what the test wants, in the form of `dns.lookup` with `all`. */
  const resolve = (found: readonly string[], all: boolean) =>
    new Promise<{ code: string | null; address: unknown }>((answer) => {
      const addresses = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
      const lookup = (_name: string, _options: object, callback: (error: null, found: object[]) => void) =>
        callback(null, addresses)
      // One of the overloads of dns.lookup, the one that is used.
      lookupWithin('public', lookup as never)('host.example', { all }, (error, address) =>
        answer({ code: error?.name ?? null, address }),
      )
    })

  it('leads to its public addresses only, and is refused without one', async () => {
    for (const all of [true, false])
      expect(await resolve(['10.0.0.1', '::1'], all)).toMatchObject({ code: 'AddressRefused' })
    expect(await resolve(['10.0.0.1', '1.1.1.1'], true)).toEqual({
      code: null,
      address: [{ address: '1.1.1.1', family: 4 }],
    })
    expect(await resolve(['::1', '1.1.1.1'], false)).toEqual({ code: null, address: '1.1.1.1' })
  })
})
