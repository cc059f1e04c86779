// OPERATOR_KEYS: who may act, in which role, known by which key.
import { isRole, type Operator } from '../core/role.js'

export interface OperatorKey extends Operator {
  readonly key: string
}

/** `name:role:key`, separated by commas; `name:key` means an owner. */
export function readOperatorKeys(list: string | undefined): readonly OperatorKey[] {
  return items(list).map((entry) => {
    const [name = '', ...rest] = entry.split(':')
    const [key = '', role = 'owner'] = rest.reverse()
    return { name, role: isRole(role) ? role : 'owner', key }
  })
}

export function isKeyTwice(operators: readonly OperatorKey[]): boolean {
  return new Set(operators.map(({ key }) => key)).size < operators.length
}

/** A person signs in and approves by their name: in two roles it would say nothing. */
export function hasTwoRoles(operators: readonly OperatorKey[]): boolean {
  return operators.some(({ name, role }) =>
    operators.some((other) => other.name === name && other.role !== role),
  )
}

/** Of a list that is separated by commas. */
export function items(list: string | undefined): readonly string[] {
  return list === undefined ? [] : list.split(',').map((item) => item.trim())
}
