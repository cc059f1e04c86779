// The operator's commands: find, payments, users, reconcile, export. Each asks the operator's part of the API once (or, for a
// long comparison, round after round) and prints the answer; what may be done is decided there, not here.

import { setTimeout as wait } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { PUBLIC_PAYMENT_STATUSES } from '../core/payment.js'
import { ROUND_MS } from '../operator/reconcile.js'
import { readConfig } from '../runtime/config.js'
import { createLog } from '../runtime/log.js'
import { aCount, aDay, aMonth, aReason, refusal } from './cli-words.js'
import { CommandFailed, type OperatorClient, openOperatorClient } from './operator-client.js'
import {
  foundTable,
  paymentFile,
  paymentsTable,
  reconciliationTable,
  type ShownFile,
  type ShownFound,
  type ShownPayment,
  type ShownReconciliation,
  type ShownUser,
  userFile,
  withLocalTimes,
} from './operator-tables.js'

type Options = Readonly<Record<string, string | boolean | undefined>>

export function addOperatorCommands(program: Command): void {
  addPayments(program)
  addUsers(program)
  const find = program.command('find <word>')
  find.description('users and payments by user id, e-mail, payment id, checkout id or receipt number')
  action(find, async (client, options, word) => {
    const answer = await asked<ShownFound>(client, 'GET', `/search?${new URLSearchParams({ q: word })}`)
    if (!options.json && answer.users.length + answer.payments.length === 0)
      throw new CommandFailed(`nothing is known as ${word}`)
    print(options, answer, foundTable)
  })
  const reconcile = program.command('reconcile')
  reconcile.description('compare the provider’s list with our books, and say what only one side has')
  reconcile.requiredOption('--since <day>', 'from when, such as 2026-11-01', aDay)
  reconcile.option('--unknown <what>', 'report, or book payments that a restore lost', 'report')
  action(reconcile, async (client, options) => {
    const since = text(options.since)
    let answer = await asked<ShownReconciliation>(client, 'POST', '/reconciliations', {
      since,
      unknown: text(options.unknown),
      ...why(options),
    })
    while (answer.reconciliation.finished_at === null) {
      const { id, checkouts, calls } = answer.reconciliation
      process.stderr.write(
        `${checkouts} checkouts so far, ${calls} calls; the next round in ${ROUND_MS / 1_000} s\n`,
      )
      await wait(ROUND_MS)
      answer = await asked(client, 'POST', `/reconciliations/${id}/continue`)
    }
    print(options, answer, reconciliationTable)
  })
  const month = program.command('export').description('for the accountant').command('payments')
  month.description('the payments of a month as CSV')
  month.requiredOption('--month <month>', 'such as 2026-11', aMonth)
  action(month, async (client, options) => {
    const query = new URLSearchParams({ month: text(options.month) })
    process.stdout.write(await textOf(client, 'GET', `/exports/payments?${query}`))
  })
}

function addPayments(program: Command): void {
  const payments = program.command('payments').description('look at payments, and act on one')
  const list = payments.command('list').description('of all users, newest first')
  list.addOption(new Option('--status <status>', 'with this status').choices(PUBLIC_PAYMENT_STATUSES))
  list.option('--user <id>', 'of one user')
  list.option('--limit <number>', 'how many', aCount, '50')
  action(list, async (client, options) => {
    const query = new URLSearchParams({ limit: text(options.limit) })
    if (options.status !== undefined) query.set('status', text(options.status))
    if (options.user !== undefined) query.set('user_id', text(options.user))
    const answer = await asked<{ readonly data: readonly ShownPayment[] }>(
      client,
      'GET',
      `/payments?${query}`,
    )
    print(options, answer, ({ data }) => paymentsTable(data))
  })
  const show = payments.command('show <payment>').description('everything known of one')
  action(show, async (client, options, payment) => {
    print(
      options,
      await asked<ShownFile>(client, 'GET', `/payments/${encodeURIComponent(payment)}`),
      paymentFile,
    )
  })
  const act = (name: 'recheck' | 'accept' | 'refund', description: string) => {
    const command = payments.command(`${name} <payment>`).description(description)
    if (name === 'recheck') command.option('--why <reason>', 'for the audit trail', aReason)
    else command.requiredOption('--why <reason>', 'for the audit trail', aReason)
    action(command, async (client, options, payment) => {
      const path = `/payments/${encodeURIComponent(payment)}/${name}`
      print(options, await asked<ShownFile>(client, 'POST', path, why(options)), paymentFile)
    })
  }
  act('recheck', 'ask the provider about it now')
  act('accept', 'take a payment under review as it is')
  act('refund', 'record a refund that was made by hand at the provider; ends the month it bought')
}

function addUsers(program: Command): void {
  const users = program.command('users').description('look at a user, and end their access')
  const show = users.command('show <user>').description('everything known of one')
  action(show, async (client, options, user) => {
    print(options, await asked<ShownUser>(client, 'GET', `/users/${encodeURIComponent(user)}`), userFile)
  })
  const end = users
    .command('end <user>')
    .description('end their access now (fraud); what was paid stays paid')
  end.requiredOption('--why <reason>', 'for the audit trail', aReason)
  action(end, async (client, options, user) => {
    const path = `/users/${encodeURIComponent(user)}/end`
    print(options, await asked<ShownUser>(client, 'POST', path, why(options)), userFile)
  })
}

/** What all commands share: where the service is, who acts, and a client that is closed at the end. */
export function action(
  command: Command,
  run: (client: OperatorClient, options: Options, subject: string) => Promise<void>,
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
      const config = readConfig(process.env)
      const operator = variable('OPERATOR')
      const reached = {
        url: textOr(options.url, variable('ISHTIRAK_URL')),
        as: textOr(options.as, undefined),
        key: variable('OPERATOR_KEY'),
      }
      if (reached.url === '') throw new CommandFailed('--url is empty: the address of the service is missing')
      const as = reached.as ?? (reached.url === undefined ? operator : undefined)
      // The log would stand between the lines of the answer: only what is wrong is said.
      const client = await openOperatorClient(config, { ...reached, as }, createLog({ level: 'error' }))
      try {
        await run(client, options, typeof given[0] === 'string' ? given[0] : '')
      } finally {
        await client.close()
      }
    })
}

export async function asked<Answer>(
  client: OperatorClient,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Answer> {
  // The service of this very version answers, with the shapes of its schemas.
  return JSON.parse(await textOf(client, method, path, body)) as Answer
}

async function textOf(
  client: OperatorClient,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<string> {
  const answer = await client.ask(method, path, body)
  if (answer.status < 300) return answer.text
  throw refusal(answer.status, answer.text)
}

export function print<Answer>(options: Options, answer: Answer, show: (answer: Answer) => string): void {
  const local = () => show(withLocalTimes(answer, readConfig(process.env).billing.timeZone))
  process.stdout.write(`${options.json ? JSON.stringify(answer, null, 2) : local()}\n`)
}

export function why(options: Options): object {
  return options.why === undefined ? {} : { why: text(options.why) }
}

export function text(value: string | boolean | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Empty counts as unset, as for every variable; said aloud, since another database may then be asked. */
function variable(name: 'ISHTIRAK_URL' | 'OPERATOR' | 'OPERATOR_KEY'): string | undefined {
  const value = process.env[name]?.trim()
  if (value === '') process.stderr.write(`${name} is empty and counts as unset\n`)
  return value === '' ? undefined : value
}

function textOr(value: string | boolean | undefined, otherwise: string | undefined): string | undefined {
  return typeof value === 'string' ? value : otherwise
}
