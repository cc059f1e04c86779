// OPERATOR_ROLES: roles besides the built-in ones, made of permissions and built-in roles. A permission may
// have a limit: `night=payment.recheck+user.grant(7);till=cashier+payment.refund`.
import { isRole, type Permission, type Powers, rolesThatMay } from '../core/role.js'

interface ReadRole {
  readonly name: string
  readonly may: Powers
  /** Each completes a sentence that begins with the place. */
  readonly problems: readonly string[]
}

/** Reports everything that is wrong, each with its place. */
export function readCustomRoles(text: string | undefined, permissions: readonly Permission[]) {
  const read = (text?.split(';') ?? []).map((one) => readRole(one, permissions))
  const problems = read.flatMap(({ name, problems }, index) => {
    const isSecond = read.findIndex((other) => other.name === name) < index
    const all = isSecond ? [...problems, ' has the name of one before it'] : problems
    return all.map((problem) => `OPERATOR_ROLES: role ${index + 1}${name && ` (${name})`}${problem}`)
  })
  return { roles: Object.fromEntries(read.map(({ name, may }) => [name, may])), problems }
}

const NAME = /^[a-z][a-z0-9_-]{0,31}$/
const ENTRY = /^([a-z_.]{1,60})(?:\(([1-9]\d{0,8})\))?$/

function readRole(text: string, permissions: readonly Permission[]): ReadRole {
  const [, name = '', listed = ''] = /^\s*([^=\s]*)\s*=?([\s\S]*)$/.exec(text) ?? []
  if (!NAME.test(name))
    return { name: '', may: {}, problems: [' must begin with a name of a-z, 0-9, _ and -, and ='] }
  const entries = listed.split(/[+,]/).map((entry) => entry.trim())
  const read = entries.map((entry, index) => readEntry(entry, index + 1, permissions))
  const good = read.filter((one) => typeof one !== 'string')
  const twice = good.find(({ name }, index) => good.findIndex((other) => other.name === name) < index)
  // An explicit permission wins over the one of a built-in role.
  const powers = [...good.filter(({ isRole }) => isRole), ...good.filter(({ isRole }) => !isRole)]
  return {
    name,
    may: Object.fromEntries(powers.flatMap(({ may }) => may)),
    problems: [
      ...(isRole(name) ? [' has the name of a built-in role'] : []),
      ...(listed.trim() === '' ? [' is empty'] : read.filter((one) => typeof one === 'string')),
      ...(twice ? [` names ${twice.name} twice`] : []),
    ],
  }
}

interface Entry {
  /** A permission, or a built-in role with all that it may do. */
  readonly name: string
  readonly isRole: boolean
  readonly may: readonly (readonly [permission: string, most: number | null])[]
}

/** Returns the problem if the entry is wrong. */
function readEntry(entry: string, place: number, permissions: readonly Permission[]): Entry | string {
  const [, name, limit] = ENTRY.exec(entry) ?? []
  if (name === undefined) return `, entry ${place} must be a name such as payment.refund or user.grant(7)`
  const most = limit === undefined ? null : Number(limit)
  const permission = permissions.find((one) => one.name === name)
  if (name === 'owner' || permission?.ownersAlone) return `, ${name} is for owners only`
  if (most !== null && permission?.bound === undefined) return `, ${name} takes no number in parentheses`
  if (permission) return { name, isRole: false, may: [[name, most]] }
  if (!isRole(name)) return `, ${name} is no permission and no built-in role`
  const has = permissions.filter((one) => rolesThatMay(one).includes(name))
  return { name, isRole: true, may: has.map((one) => [one.name, null]) }
}
