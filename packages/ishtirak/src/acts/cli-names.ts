// Finds a payment or a user by what a person has instead of the id: a reference, the number of a receipt or
// a slip, an e-mail address. The id itself comes first. If several have the name, it is refused with their
// list.
import { sections } from './cli-tables.js'
import { CommandFailed, type OperatorClient, Refused } from './operator-client.js'

type Row = Readonly<Record<string, unknown>>
type Found = Readonly<Record<'users' | 'payments', readonly Row[]>>

interface Named {
  readonly client: OperatorClient
  readonly name: string
  readonly timeZone: string
}

/** Calls with the name as an id. If there is no such id, nothing was done, and the name is looked up. */
export async function askByName<Result>(
  named: Named,
  call: (id: string) => Promise<Result>,
): Promise<Result> {
  try {
    return await call(named.name)
  } catch (error) {
    const id = error instanceof Refused ? await idBehind(named, error) : null
    if (id === null) throw error
    return call(id)
  }
}

async function idBehind(named: Named, { code, members }: Refused): Promise<string | null> {
  if (code !== 'not_found') return null
  if (members.payment_id === named.name && members.proof === undefined) return paymentNamed(named)
  return members.user_id === named.name ? userNamed(named) : null
}

async function paymentNamed(named: Named): Promise<string | null> {
  const { users, payments } = await find(named)
  const found = payments.length > 0 ? payments : await paymentsOf(named, users)
  return theOnly(found, 'id', { payments: found }, named)
}

async function userNamed(named: Named): Promise<string | null> {
  const { users, payments } = await find(named)
  const ids = [...new Set(payments.map((payment) => payment.user_id))].map((user_id) => ({ user_id }))
  const found = users.length > 0 ? users : ids
  return theOnly(found, 'user_id', users.length > 0 ? { users } : { payments }, named)
}

/** Only exact hits: a name that only begins so is another one. */
async function find({ client, name }: Named): Promise<Found> {
  const answer = await client.ask({ method: 'GET', path: `/search?${new URLSearchParams({ q: name })}` })
  const { users, payments }: Found = JSON.parse(answer)
  const isExact = ({ exact }: Row) => exact === true
  return { users: users.filter(isExact), payments: payments.filter(isExact) }
}

async function paymentsOf({ client }: Named, users: readonly Row[]): Promise<readonly Row[]> {
  const files: Pick<Found, 'payments'>[] = []
  for (const { user_id: id } of users) {
    const path = `/users/${encodeURIComponent(String(id))}`
    files.push(JSON.parse(await client.ask({ method: 'GET', path })))
  }
  return files.flatMap(({ payments }) => payments)
}

const COLUMNS = {
  users: ['user_id', 'email', 'name', 'plan', 'status', 'current_period_end'],
  payments: [
    ...['id', 'user_id', 'plan', 'months', 'amount', 'status', 'method', 'payment_method'],
    ...['checkout_id', 'created_at'],
  ],
}

/** Null: nothing has the name. Throws `CommandFailed` if several have it. */
function theOnly(
  found: readonly Row[],
  key: string,
  list: Partial<Found>,
  { name, timeZone }: Named,
): string | null {
  const [first] = found
  if (first === undefined) return null
  if (found.length === 1) return String(first[key])
  throw new CommandFailed(
    `'${name}' is the name of ${found.length}: say which by its id\n\n${sections(list, timeZone, COLUMNS)}`,
  )
}
