// The operator's commands: find, payments, users, events, reconcile, export. Each asks the operator's API once (or, for a
// long comparison, round after round) and prints the answer; what may be done is decided there, not here.
import { setTimeout as wait } from 'node:timers/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Static } from 'typebox'
import { Value } from 'typebox/value'
import { PUBLIC_PAYMENT_STATUSES } from '../core/payment.js'
import type { ResentSchema, RestartedSchema } from '../events/schemas.js'
import { ROUND_MS } from '../operator/reconcile.js'
import { ReconcileRequestSchema, type ReconciliationSchema, WhySchema } from '../operator/schemas.js'
import { wallClockIn } from '../runtime/calendar.js'
import { readConfig } from '../runtime/config.js'
import { createLog } from '../runtime/log.js'
import {
  eventsTable,
  foundTable,
  paymentFile,
  paymentsTable,
  reconciliationTable,
  userFile,
  withLocalTimes,
} from './cli-tables.js'
import {
  type OperatorClient,
  type OperatorRequest,
  openOperatorClient,
  readAccess,
} from './operator-client.js'

/** Of all these commands; each is checked by its parser. */
interface Options {
  readonly json?: true
  readonly url?: string
  readonly as?: string
  readonly why?: string
  readonly user?: string
  readonly limit?: string
  readonly status?: string
  readonly undelivered?: true
  readonly allUndelivered?: true
  readonly since?: string
  readonly unknown?: string
  readonly month?: string
}

const aMonth = checked(
  (given) => wallClockIn('UTC').monthOf(given) !== null,
  'It is a month from 1970-01 on, such as 2026-11.',
)
const aDay = checked(
  (given) => Value.Check(ReconcileRequestSchema, { since: given }) && isDay(given.slice(0, 10)),
  'It is a day from 1970-01-01 on, such as 2026-11-01, or an instant such as 2026-11-01T12:00:00Z.',
)
const aReason = checked(
  (given) => Value.Check(WhySchema, { why: given }),
  'It is one line of at most 500 characters, not blank.',
)
const aCount = checked(
  (given) => /^\d{1,4}$/.test(given) && Number(given) >= 1 && Number(given) <= 1_000,
  'It is a whole number from 1 to 1000.',
)

/** For `option` and `requiredOption`. */
const WHY = ['--why <reason>', 'for the audit trail', aReason] as const

export function addOperatorCommands(program: Command): void {
  addPayments(program)
  addUsers(program)
  const find = program.command('find <word>')
  find.description('users and payments by user id, e-mail, payment id, checkout id or receipt number')
  asks(find, (_, word) => get('/search', { q: word }), foundTable)
  addReconcile(program)
  const month = program.command('export').description('for the accountant').command('payments')
  month.description('the payments of a month as CSV')
  month.requiredOption('--month <month>', 'such as 2026-11', aMonth)
  action(month, async (client, options) => {
    process.stdout.write(await client.ask(get('/exports/payments', { month: options.month })))
  })
  addEvents(program)
}

function addPayments(program: Command): void {
  const payments = program.command('payments').description('look at payments, and act on one')
  const list = payments.command('list').description('of all users, newest first')
  list.addOption(new Option('--status <status>', 'with this status').choices(PUBLIC_PAYMENT_STATUSES))
  list.option('--user <id>', 'of one user')
  list.option('--limit <number>', 'how many', aCount, '50')
  asks(
    list,
    ({ status, user: user_id, limit }) => get('/payments', { limit, status, user_id }),
    paymentsTable,
  )
  const show = payments.command('show <payment>').description('everything known of one')
  asks(show, (_, payment) => get(`/payments/${encodeURIComponent(payment)}`), paymentFile)
  const recheck = payments.command('recheck <payment>').description('ask the provider about it now')
  const accept = payments.command('accept <payment>').description('take a payment under review as it is')
  const refund = payments.command('refund <payment>')
  refund.description('record a refund that was made by hand at the provider; ends the month it bought')
  recheck.option(...WHY)
  for (const act of [accept, refund]) act.requiredOption(...WHY)
  for (const act of [recheck, accept, refund]) {
    asks(
      act,
      ({ why }, payment) => post(`/payments/${encodeURIComponent(payment)}/${act.name()}`, { why }),
      paymentFile,
    )
  }
}

function addUsers(program: Command): void {
  const users = program.command('users').description('look at a user, and end their access')
  const show = users.command('show <user>').description('everything known of one')
  asks(show, (_, user) => get(`/users/${encodeURIComponent(user)}`), userFile)
  const end = users.command('end <user>')
  end.description('end their access now (fraud); what was paid stays paid').requiredOption(...WHY)
  asks(end, ({ why }, user) => post(`/users/${encodeURIComponent(user)}/end`, { why }), userFile)
}

function addReconcile(program: Command): void {
  const reconcile = program.command('reconcile')
  reconcile.description('compare the provider’s list with our books, and say what only one side has')
  reconcile.requiredOption('--since <day>', 'from when, such as 2026-11-01', aDay)
  reconcile.option('--unknown <what>', 'report, or book payments that a restore lost', 'report')
  action(reconcile, async (client, options) => {
    const { since, unknown, why } = options
    const ask = async (request: OperatorRequest): Promise<Static<typeof ReconciliationSchema>> =>
      JSON.parse(await client.ask(request))
    let answer = await ask(post('/reconciliations', { since, unknown, why }))
    while (answer.reconciliation.finished_at === null) {
      const { id, checkouts, calls } = answer.reconciliation
      const next = `the next round in ${ROUND_MS / 1_000} s`
      process.stderr.write(`${checkouts} checkouts so far, ${calls} calls; ${next}\n`)
      await wait(ROUND_MS)
      answer = await ask(post(`/reconciliations/${id}/continue`))
    }
    print(options, answer, reconciliationTable)
  })
}

function addEvents(program: Command): void {
  const events = program.command('events').description('what is sent to the platform, and whether it arrives')
  const list = events.command('list').description('newest first, and the state of EVENTS_URL')
  list.option('--undelivered', 'only those that the platform has not confirmed, oldest first')
  list.option('--user <id>', 'of one user')
  list.option('--limit <number>', 'how many', aCount, '50')
  asks(
    list,
    ({ limit, user: user_id, undelivered }) =>
      get('/events', { limit, user_id, state: undelivered && 'waiting' }),
    eventsTable,
  )
  const resend = events.command('resend [event]')
  resend.description('an event and all later ones of its user again, in order')
  resend.option(
    '--all-undelivered',
    'instead: switch EVENTS_URL on again, and begin anew with all that waits',
  )
  resend.option(...WHY)
  asks(
    resend,
    ({ allUndelivered, why }, event) => {
      if (allUndelivered) return post('/events/resend-waiting', { why })
      if (event === '') resend.error('name an event, or say --all-undelivered')
      return post(`/events/${encodeURIComponent(event)}/resend`, { why })
    },
    (answer: Static<typeof ResentSchema> | Static<typeof RestartedSchema>) =>
      'users' in answer
        ? `EVENTS_URL is on; ${answer.users} users’ events are due now`
        : `${answer.events} events of ${answer.user_id} are due now`,
  )
  const skip = events.command('skip <event>')
  skip.description('wait no longer for this event and those before it of its user').requiredOption(...WHY)
  asks(
    skip,
    ({ why }, event) => post(`/events/${encodeURIComponent(event)}/skip`, { why }),
    () => 'skipped',
  )
}

function get(path: string, query: Readonly<Record<string, string | undefined>> = {}): OperatorRequest {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return { method: 'GET', path: `${path}?${new URLSearchParams(given)}` }
}

/** Members that are undefined are not sent. */
function post(path: string, body?: object): OperatorRequest {
  return { method: 'POST', path, ...(body && { body }) }
}

/** A command that is one request. `show` is given the answer and the command's argument. */
function asks<Answer>(
  command: Command,
  request: (options: Options, argument: string) => OperatorRequest,
  show: (answer: Answer, argument: string) => string,
): void {
  action(command, async (client, options, argument) => {
    // The service of this very version answers, with the shapes of its schemas.
    const answer: Answer = JSON.parse(await client.ask(request(options, argument)))
    print(options, answer, (local) => show(local, argument))
  })
}

/** What all commands share: where the service is, who acts, and a client that is closed at the end. */
function action(
  command: Command,
  run: (client: OperatorClient, options: Options, argument: string) => Promise<void>,
): void {
  command
    .option('--json', 'the answer of the API as it is')
    .option(
      '--url <address>',
      'ask this running service, with the key in OPERATOR_KEY (default: ISHTIRAK_URL)',
    )
    .option('--as <name>', 'who acts, for the audit trail (default: OPERATOR, else your user name)')
    .action(async (...given: readonly unknown[]) => {
      const options = command.opts<Options>()
      // The log would stand between the lines of the answer: only what is wrong is said.
      const log = createLog({ level: 'error' })
      const client = await openOperatorClient(readConfig(process.env), readAccess(options), log)
      try {
        await run(client, options, typeof given[0] === 'string' ? given[0] : '')
      } finally {
        await client.close()
      }
    })
}

function print<Answer>(options: Options, answer: Answer, show: (answer: Answer) => string): void {
  const local = () => show(withLocalTimes(answer, readConfig(process.env).billing.timeZone))
  process.stdout.write(`${options.json ? JSON.stringify(answer, null, 2) : local()}\n`)
}

function isDay(given: string): boolean {
  const at = Date.parse(given)
  return at >= 0 && new Date(at).toISOString().startsWith(given)
}

/** For an option or argument: the text as it is, or an error that says what is allowed. */
function checked(fits: (given: string) => boolean, expects: string) {
  return (given: string): string => {
    if (!fits(given)) throw new InvalidArgumentError(expects)
    return given
  }
}
