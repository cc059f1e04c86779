// The search: users and payments by anything that an operator knows of them.
import { Type } from 'typebox'
import { CommandFailed } from '../acts/operator-client.js'
import { StandingSchema, viewStanding } from '../acts/preview.js'
import { type CommandAnswer, reading } from '../acts/reading.js'
import { DAY } from '../core/instant.js'
import { statusAt } from '../core/subscription.js'
import { nullable, object, query } from '../http/schemas.js'
import { SEARCHED_MAX } from '../pages/console-frame.js'
import type { ReadDeps } from './all-pages.js'
import { OperatorPaymentSchema } from './schemas.js'
import {
  findPaymentsByAmount,
  findPaymentsByPart,
  findPaymentsByWord,
  findUsersByWord,
} from './search.sql.js'
import { readSearch } from './search-words.js'
import { paymentViewForOperators } from './views.js'

const SearchQuerySchema = query({
  q: Type.String({
    // Something else than white space.
    pattern: '\\S',
    maxLength: SEARCHED_MAX,
    description:
      'A user’s id or e-mail; the beginning of an e-mail or of any word of their or their company’s name; ' +
      'a company’s NIF or RC; a payment’s id, ' +
      'the provider’s checkout id, a reference or the number of a document; the last digits of an amount ' +
      'and a day',
    examples: ['amina@example.dz', '2026-000042', '2900 2026-03-14'],
  }),
})

const exact = Type.Boolean({
  description: 'True: it is exactly what was searched for; false: it begins or ends so',
})
const FoundUserSchema = object('FoundUser', {
  user_id: Type.String(),
  email: nullable(Type.String()),
  name: nullable(Type.String()),
  buyer_name: nullable(Type.String(), {
    description: 'The name on their invoices, such as that of their company',
  }),
  ...StandingSchema.properties,
  exact,
})

const FoundPaymentSchema = object('FoundPayment', { ...OperatorPaymentSchema.properties, exact })
const FoundSchema = object('SearchResult', {
  users: Type.Array(FoundUserSchema, { description: 'Exact hits first, then at most 20' }),
  payments: Type.Array(FoundPaymentSchema, { description: 'Exact hits first, then at most 20' }),
})

export type Found = Awaited<ReturnType<typeof search>>

/** An amount without a day is looked for in the last three days. */
const RECENT = 3 * DAY

/** Exact hits first. Each says that it is exact, so that a page can open it at once. */
export async function search(deps: ReadDeps, typed: string) {
  const { database, wallClock, methods, clock, rules, referencesIn } = deps
  const now = clock.now()
  const wanted = readSearch(typed, methods.live)
  const { amountAndDay } = wanted
  const day = amountAndDay?.day ? wallClock.dayOf(amountAndDay.day) : { from: now - RECENT, to: now + 1 }
  const [users, exact, byAmount, byPart] = await Promise.all([
    findUsersByWord(database, wanted),
    findPaymentsByWord(database, wanted, referencesIn(wanted.word)),
    amountAndDay && day ? findPaymentsByAmount(database, amountAndDay, day) : [],
    wanted.parts.length > 0 ? findPaymentsByPart(database, wanted.parts) : [],
  ])
  const others = new Map([...byAmount, ...byPart].map((payment) => [payment.id, payment]))
  for (const { id } of exact) others.delete(id)
  return {
    users: users.map((user) => ({ ...user, subscription: statusAt(user.subscription, now, rules) })),
    payments: [
      ...exact.map((payment) => ({ payment, exact: true })),
      ...[...others.values()].map((payment) => ({ payment, exact: false })),
    ],
  }
}

function viewFoundUser({ subscription, buyer, ...user }: Found['users'][number]) {
  const { userId: user_id, email, name, exact } = user
  return { user_id, email, name, buyer_name: buyer?.name ?? null, ...viewStanding(subscription), exact }
}

export const searchReading = reading<ReadDeps>()({
  path: '/search',
  operationId: 'search',
  summary:
    'Search users and payments by id, e-mail, name, company, reference, receipt number, or by amount and day',
  query: SearchQuerySchema,
  answer: FoundSchema,
  command: {
    usage: 'find <word...>',
    columns: { users: ['user_id', 'email', 'name', 'plan', 'status', 'current_period_end', 'exact'] },
    show: orNothing,
  },
  read: async (deps, { query }) => {
    const { users, payments } = await search(deps, query.q)
    const viewPayment = paymentViewForOperators(deps)
    return {
      users: users.map(viewFoundUser),
      payments: payments.map(({ payment, exact }) => ({ ...viewPayment(payment), exact })),
    }
  },
})

function orNothing(answer: CommandAnswer, word: string): CommandAnswer {
  if (Object.values(answer).flat().length > 0) return answer
  throw new CommandFailed(`nothing matches ${word}`)
}
