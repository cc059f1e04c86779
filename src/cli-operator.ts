// The operator's commands: payments, users, reconcile, export. Each asks the operator's part of the API once (or, for a
// long comparison, round after round) and prints the answer; what may be done is decided there, not here.
import type { Command } from 'commander'
import { ROUND_MS } from './billing/reconcile.js'
import { DeskClosed, type OperatorDesk, openDesk } from './operator-desk.js'
import {
  paymentFile,
  paymentsTable,
  reconciliationTable,
  type ShownFile,
  type ShownPayment,
  type ShownReconciliation,
  type ShownUser,
  userFile,
} from './operator-tables.js'
import { readConfig } from './runtime/config.js'
import { createLog } from './runtime/log.js'
import { wait } from './runtime/wait.js'

type Options = Readonly<Record<string, string | boolean | undefined>>

/** The service refused: its own sentence, and what it added. */
class Refused extends Error {
  override readonly name = 'Refused'
}

export function addOperatorCommands(program: Command): void {
  addPayments(program)
  addUsers(program)
  const reconcile = program.command('reconcile')
  reconcile.description('compare the provider’s list with our books, and say what only one side has')
  reconcile.requiredOption('--since <day>', 'from when, such as 2026-11-01')
  action(reconcile, async (desk, options) => {
    const since = text(options.since)
    let answer = await asked<ShownReconciliation>(desk, 'POST', '/reconciliations', {
      since,
      ...why(options),
    })
    while (answer.reconciliation.finished_at === null) {
      const { id, checkouts, calls } = answer.reconciliation
      process.stderr.write(
        `${checkouts} checkouts so far, ${calls} calls; the next round in ${ROUND_MS / 1_000} s\n`,
      )
      await wait(ROUND_MS)
      answer = await asked(desk, 'POST', `/reconciliations/${id}/continue`)
    }
    print(options, answer, reconciliationTable)
  })
  const month = program.command('export').description('for the accountant').command('payments')
  month.description('the payments of a month as CSV')
  month.requiredOption('--month <month>', 'such as 2026-11')
  action(month, async (desk, options) => {
    const query = new URLSearchParams({ month: text(options.month) })
    process.stdout.write(await textOf(desk, 'GET', `/exports/payments?${query}`))
  })
}

function addPayments(program: Command): void {
  const payments = program.command('payments').description('look at payments, and act on one')
  const list = payments.command('list').description('of all users, newest first')
  list.option('--status <status>', 'pending, paid, failed, canceled, expired, review or refunded')
  list.option('--user <id>', 'of one user')
  list.option('--limit <number>', 'how many', '50')
  action(list, async (desk, options) => {
    const query = new URLSearchParams({ limit: text(options.limit) })
    if (options.status !== undefined) query.set('status', text(options.status))
    if (options.user !== undefined) query.set('user_id', text(options.user))
    const answer = await asked<{ readonly data: readonly ShownPayment[] }>(desk, 'GET', `/payments?${query}`)
    print(options, answer, ({ data }) => paymentsTable(data))
  })
  const show = payments.command('show <payment>').description('everything known of one')
  action(show, async (desk, options, payment) => {
    print(
      options,
      await asked<ShownFile>(desk, 'GET', `/payments/${encodeURIComponent(payment)}`),
      paymentFile,
    )
  })
  const act = (name: 'recheck' | 'accept' | 'refund', description: string) => {
    const command = payments.command(`${name} <payment>`).description(description)
    if (name === 'recheck') command.option('--why <reason>', 'for the audit trail')
    else command.requiredOption('--why <reason>', 'for the audit trail')
    action(command, async (desk, options, payment) => {
      const path = `/payments/${encodeURIComponent(payment)}/${name}`
      print(options, await asked<ShownFile>(desk, 'POST', path, why(options)), paymentFile)
    })
  }
  act('recheck', 'ask the provider about it now')
  act('accept', 'take a payment under review as it is')
  act('refund', 'record a refund that was made by hand at the provider; ends the month it bought')
}

function addUsers(program: Command): void {
  const users = program.command('users').description('look at a user, and end his access')
  const show = users.command('show <user>').description('everything known of one')
  action(show, async (desk, options, user) => {
    print(options, await asked<ShownUser>(desk, 'GET', `/users/${encodeURIComponent(user)}`), userFile)
  })
  const end = users.command('end <user>').description('end his access now (fraud); what he paid stays paid')
  end.requiredOption('--why <reason>', 'for the audit trail')
  action(end, async (desk, options, user) => {
    const path = `/users/${encodeURIComponent(user)}/end`
    print(options, await asked<ShownUser>(desk, 'POST', path, why(options)), userFile)
  })
}

/** What all commands share: where the service is, who acts, and a desk that is closed at the end. */
export function action(
  command: Command,
  run: (desk: OperatorDesk, options: Options, subject: string) => Promise<void>,
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
      const { ISHTIRAK_URL: url, OPERATOR: operator, OPERATOR_KEY: key } = process.env
      const reached = { url: textOr(options.url, url), as: textOr(options.as, undefined), key }
      const as = reached.as ?? (reached.url === undefined ? operator : undefined)
      // The log would stand between the lines of the answer: only what is wrong is said.
      const desk = await openDesk(config, { ...reached, as }, createLog({ level: 'error' }))
      try {
        await run(desk, options, typeof given[0] === 'string' ? given[0] : '')
      } finally {
        await desk.close()
      }
    })
}

export async function asked<Answer>(
  desk: OperatorDesk,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Answer> {
  // The service of this very version answers, with the shapes of its schemas.
  return JSON.parse(await textOf(desk, method, path, body)) as Answer
}

async function textOf(
  desk: OperatorDesk,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<string> {
  const answer = await desk.ask(method, path, body)
  if (answer.status < 300) return answer.text
  throw refusal(answer.status, answer.text)
}

/** A problem body, or whatever a proxy in between said. */
function refusal(status: number, text: string): Error {
  if (status === 404 && !text.includes('request_id'))
    return new DeskClosed('there is no Ishtirak at this address')
  if (!text.startsWith('{')) return new Refused(`the service answered ${status}`)
  const problem: Readonly<Record<string, unknown>> = JSON.parse(text)
  const further = Object.entries(problem).filter(([name]) => !STANDARD_MEMBERS.includes(name))
  const more = further.length > 0 ? ` ${JSON.stringify(Object.fromEntries(further))}` : ''
  return new Refused(`${problem.code}: ${problem.detail}${more}`)
}

/** Of every problem body; what else is in it belongs to this one refusal. */
const STANDARD_MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id']

export function print<Answer>(options: Options, answer: Answer, show: (answer: Answer) => string): void {
  process.stdout.write(`${options.json ? JSON.stringify(answer, null, 2) : show(answer)}\n`)
}

export function why(options: Options): object {
  return options.why === undefined ? {} : { why: text(options.why) }
}

export function text(value: string | boolean | undefined): string {
  return typeof value === 'string' ? value : ''
}

function textOr(value: string | boolean | undefined, otherwise: string | undefined): string | undefined {
  return typeof value === 'string' ? value : otherwise
}
