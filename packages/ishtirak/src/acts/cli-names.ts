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

/** Null: nothing has the name, or the refusal is about something else, such as a missing proof. */
async function idBehind(named: Named, { code, members }: Refused): Promise<string | null> {
  const { client, name } = named
  if (code !== 'not_found' || members.proof !== undefined) return null
  if (members.payment_id === name) {
    const { users, payments } = await find(named)
    const ofUsers = async ({ user_id: id }: Row): Promise<Found> =>
      JSON.parse(await client.ask({ method: 'GET', path: `/users/${encodeURIComponent(String(id))}` }))
    const found =
      payments.length > 0 ? payments : (await Promise.all(users.map(ofUsers))).flatMap((of) => of.payments)
    return theOnly(named, 'id', found, { payments: found })
  }
  if (members.user_id !== name) return null
  const { users, payments } = await find(named)
  if (users.length > 0) return theOnly(named, 'user_id', users, { users })
  return theOnly(named, 'user_id', payments, { payments })
}

/** Only exact hits count: the search also finds what only begins with the name. */
async function find({ client, name }: Named): Promise<Found> {
  const answer = await client.ask({ method: 'GET', path: `/search?${new URLSearchParams({ q: name })}` })
  const { users, payments }: Found = JSON.parse(answer)
  const isExact = ({ exact }: Row) => exact === true
  return { users: users.filter(isExact), payments: payments.filter(isExact) }
}

const COLUMNS = { users: ['user_id', 'email', 'name', 'plan', 'status', 'current_period_end'] }

/** Null: nothing has the name. Throws `CommandFailed` with the list if several have it. */
function theOnly(
  { name, timeZone }: Named,
  key: 'id' | 'user_id',
  found: readonly Row[],
  list: Partial<Found>,
): string | null {
  const [first, ...others] = new Set(found.map((row) => String(row[key])))
  if (first === undefined || others.length === 0) return first ?? null
  const listed = sections(list, timeZone, COLUMNS)
  throw new CommandFailed(`'${name}' is the name of ${1 + others.length}: give the id of one\n\n${listed}`)
}
