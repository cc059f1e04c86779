// Whom an address stands for. A customer with IPv6 holds at least a /64 and can call from each of its addresses.
import { isIPv6 } from 'node:net'

/** An IPv4 address as it is, also one written as IPv6; of any other the first 64 bits. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (mapped !== undefined) return mapped
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? []
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  const groups = [
    ...before,
    ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'),
    ...after,
  ]
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** Without leading zeros; an IPv4 address at the end takes the room of two. */
function groupsOf(text: string): readonly string[] {
  if (text === '') return []
  return text
    .split(':')
    .flatMap((group) => (group.includes('.') ? ['0', '0'] : [Number.parseInt(group, 16).toString(16)]))
}
