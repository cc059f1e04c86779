// npm run bench -- growth --users 1000,100000: the same requests with few users in the database and with
// many, who have ten payments each. A million users take some minutes and 10 GB.
import { compareAll, readOptions, withServers } from './support/compare.mjs'
import { startSeeded } from './support/seed.mjs'

const given = readOptions('growth', 'The same calls with few users and with many', {
  users: ['two numbers that are compared', '1000,100000'],
  rounds: ['of each comparison', 3],
  seconds: ['of each round', 5],
  connections: ['callers at the same time', 32],
})
const { rounds, seconds, connections } = given
const [few, many] = given.users.split(',').map(Number)
if (!many) throw new Error('two numbers of users are compared: --users 1000,100000')
const STOCK = 12_000
/** Both sides ask for as many users, spread over all of them, so that the processor's cache helps neither. */
const ASKED = Math.min(few, 5_000)

await withServers(0, async ({ server, driver }) => {
  const sideOf = (users) => startSeeded(server, `users_${users}`, { rows: { users, waiting: { w_: STOCK } } })
  const [other, ours] = [await sideOf(few), await sideOf(many)]
  const optionsOf = (users) => ({ users: ASKED, step: users / ASKED, prefix: 'w_' })
  const paths = ['status', 'history', 'consume', 'webhook'].map((kind) => ({
    name: kind,
    against: `${few} users`,
    target: 0.9,
    stock: kind === 'webhook' ? STOCK : undefined,
    ours: { ...ours, kind, options: optionsOf(many) },
    other: { ...other, kind, options: optionsOf(few) },
  }))
  await compareAll('growth', driver, { sides: { ours, other }, paths, connections, rounds, seconds })
})
