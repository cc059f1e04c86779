// What operators read across users, and of one payment or user.
import { type Static, Type } from 'typebox'
import { CommandFailed } from '../acts/operator-client.js'
import type { CommandAnswer } from '../acts/reading.js'
import { reading } from '../acts/reading.js'
import { PAYMENT, USER, UserParamsSchema } from '../ledger/subjects.js'
import type { ConsoleDeps } from './all-pages.js'
import { HealthSchema, readHealth } from './health.js'
import { paymentList } from './payment-list.js'
import { FoundSchema, SearchQuerySchema, search } from './search.js'
import { timelineList } from './timeline.js'
import { trailList } from './trail-list.js'
import { userList } from './user-list.js'
import { paymentViewForOperators, viewFoundUser } from './views.js'

const reads = reading<ConsoleDeps>()

const health = reads({
  path: '/health',
  operationId: 'readHealth',
  summary: 'The checks of `ishtirak doctor`, and when each job last ran',
  answer: HealthSchema,
  command: { usage: 'health', judge: judgeHealth },
  read: readHealth,
})

const found = reads({
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

const paymentFile = reads({
  path: PAYMENT.path,
  operationId: 'getPaymentFile',
  summary: 'Everything known of one payment',
  params: Type.Object({ payment_id: Type.String({ maxLength: 100 }) }),
  answer: ({ files }) => files.payment.schema,
  command: { ...PAYMENT.command, usage: 'payments show <payment>' },
  read: async ({ files }, { params }) => files.payment.view(await files.payment.read(params.payment_id)),
})

const userFile = reads({
  path: USER.path,
  operationId: 'getUserFile',
  summary: 'Everything known of one user',
  params: UserParamsSchema,
  answer: ({ files }) => files.user.schema,
  command: { ...USER.command, usage: 'users show <user>' },
  read: async ({ files }, { params }) => files.user.view(await files.user.read(params.user_id)),
})

export const OVERVIEW_READINGS = [
  ...[health, found, ...userList.readings, ...paymentList.readings],
  ...[paymentFile, userFile, ...timelineList.readings, ...trailList.readings],
]

function orNothing(answer: CommandAnswer, word: string): CommandAnswer {
  if (Object.values(answer).flat().length > 0) return answer
  throw new CommandFailed(`nothing matches ${word}`)
}

/** The failed checks, for a supervisor or a script; null: all is well. */
function judgeHealth({ checks = [] }: CommandAnswer): string | null {
  const failing = (checks as Static<typeof HealthSchema>['checks']).filter(
    ({ verdict }) => verdict === 'fail',
  )
  if (failing.length === 0) return null
  return failing.map(({ subject, found }) => `${subject} fails: ${found}`).join('\n')
}
