// OPERATOR_ROLES: roles besides the built-in ones, made of permissions and built-in roles. A permission may
// have a limit: `night=payment.recheck+user.grant(7);till=cashier+payment.refund`.
import { type CustomRoles, isRole, type Permission, type Powers, rolesThatMay } from '../core/role.js'

interface ReadRole {
  readonly name: string
  readonly may: Powers
  /** Each completes a sentence that begins with the place. */
  readonly problems: readonly string[]
}

/** Reports everything that is wrong, each with its place. */
export function readCustomRoles(
  text: string | undefined,
  permissions: readonly Permission[],
): { readonly roles: CustomRoles; readonly problems: readonly string[] } {
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
  const twice = good.find(({ said }, index) => good.findIndex((other) => other.said === said) < index)
  // An explicit permission wins over the one of a built-in role.
  const powers = [...good.filter(({ isRole }) => isRole), ...good.filter(({ isRole }) => !isRole)]
  return {
    name,
    may: Object.fromEntries(powers.flatMap(({ may }) => may)),
    problems: [
      ...(isRole(name) ? [' has the name of a built-in role'] : []),
      ...(listed.trim() === '' ? [' is empty'] : read.filter((one) => typeof one === 'string')),
      ...(twice ? [` names ${twice.said} twice`] : []),
    ],
  }
}

interface Entry {
  readonly said: string
  readonly may: readonly (readonly [name: string, most: number | null])[]
  /** True for a built-in role, false for a permission. */
  readonly isRole: boolean
}

/** Returns the problem if the entry is wrong. */
function readEntry(entry: string, place: number, permissions: readonly Permission[]): Entry | string {
  const [, said, typed] = ENTRY.exec(entry) ?? []
  if (said === undefined) return `, entry ${place} must be a name such as payment.refund or user.grant(7)`
  const most = typed === undefined ? null : Number(typed)
  const permission = permissions.find(({ name }) => name === said)
  if (said === 'owner' || permission?.ownersAlone) return `, ${said} is for owners alone`
  if (most !== null && permission?.bound === undefined) return `, ${said} has no bound`
  if (permission) return { said, may: [[said, most]], isRole: false }
  if (!isRole(said)) return `, ${said} is no permission and no built-in role`
  const has = permissions.filter((one) => rolesThatMay(one).includes(said))
  return { said, may: has.map(({ name }) => [name, null]), isRole: true }
}
