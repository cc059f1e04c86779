// The operator's commands: find, payments, users, events, reconcile, export. Each asks the operator's API once (or, for a
// long comparison, round after round) and prints the answer. What may be done is decided there, and the options are the
// members of its schemas.
import { setTimeout as wait } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { Static, TObject, TSchema } from 'typebox'
import { EventsQuerySchema } from '../events/schemas.js'
import { ROUND_MS } from '../operator/reconcile.js'
import {
  ExportQuerySchema,
  OperatorPaymentsQuerySchema,
  OptionalWhySchema,
  ReconcileRequestSchema,
  type ReconciliationSchema,
  WhySchema,
} from '../operator/schemas.js'
import { readConfig } from '../runtime/config.js'
import { createLog } from '../runtime/log.js'
import { sections } from './cli-tables.js'
import {
  CommandFailed,
  type OperatorClient,
  type OperatorRequest,
  openOperatorClient,
} from './operator-client.js'

export function addOperatorCommands(program: Command): void {
  const find = program.command('find <word>')
  find.description('users and payments by user id, e-mail, payment id, checkout id or receipt number')
  asks(find, 'GET', (word) => `/search?q=${word}`, {
    show: (answer: { readonly users: readonly object[]; readonly payments: readonly object[] }, word) => {
      if (answer.users.length + answer.payments.length > 0) return answer
      throw new CommandFailed(`nothing is known as ${word}`)
    },
  })
  addPayments(program)
  addUsers(program)
  addEvents(program)
  addReconcile(program)
  const month = program.command('export').description('for the accountant').command('payments')
  month.description('the payments of a month as CSV')
  action(month, ExportQuerySchema, async (client, { query }) => {
    process.stdout.write(await client.ask({ method: 'GET', path: `/exports/payments?${query}` }))
  })
}

function addPayments(program: Command): void {
  const payments = program.command('payments').description('look at payments, and act on one')
  asks(payments.command('list').description('of all users, newest first'), 'GET', () => '/payments', {
    input: OperatorPaymentsQuerySchema,
    show: ({ data }: { readonly data: unknown }) => ({ payments: data }),
  })
  asks(
    payments.command('show <payment>').description('everything known of one'),
    'GET',
    (id) => `/payments/${id}`,
  )
  const recheck = payments.command('recheck <payment>').description('ask the provider about it now')
  asks(recheck, 'POST', (id) => `/payments/${id}/recheck`, { input: OptionalWhySchema })
  const accept = payments.command('accept <payment>').description('take a payment under review as it is')
  asks(accept, 'POST', (id) => `/payments/${id}/accept`, { input: WhySchema })
  const refund = payments.command('refund <payment>')
  refund.description('record a refund that was made by hand at the provider; ends the month it bought')
  asks(refund, 'POST', (id) => `/payments/${id}/refund`, { input: WhySchema })
}

function addUsers(program: Command): void {
  const users = program.command('users').description('look at a user, and end their access')
  asks(users.command('show <user>').description('everything known of one'), 'GET', (id) => `/users/${id}`)
  const end = users.command('end <user>')
  end.description('end their access now (fraud); what was paid stays paid')
  asks(end, 'POST', (id) => `/users/${id}/end`, { input: WhySchema })
}

function addEvents(program: Command): void {
  const events = program.command('events').description('what is sent to the platform, and whether it arrives')
  asks(
    events.command('list').description('newest first, and the state of EVENTS_URL'),
    'GET',
    () => '/events',
    {
      input: EventsQuerySchema,
      show: ({ data, ...state }: { readonly data: unknown }) => ({ ...state, events: data }),
    },
  )
  const resend = events.command('resend [event]')
  resend.description('an event and all later ones of its user again, in order')
  resend.option(
    '--all-undelivered',
    'instead: switch EVENTS_URL on again, and begin anew with all that waits',
  )
  const resendPath = (event: string) => {
    if (resend.opts().allUndelivered) return '/events/resend-waiting'
    return event === '' ? resend.error('name an event, or say --all-undelivered') : `/events/${event}/resend`
  }
  asks(resend, 'POST', resendPath, { input: OptionalWhySchema })
  const skip = events.command('skip <event>')
  skip.description('wait no longer for this event and those before it of its user')
  asks(skip, 'POST', (id) => `/events/${id}/skip`, { input: WhySchema })
}

function addReconcile(program: Command): void {
  const reconcile = program.command('reconcile')
  reconcile.description('compare the provider’s list with our books, and say what only one side has')
  action(reconcile, ReconcileRequestSchema, async (client, { body }) => {
    const ask = async (request: OperatorRequest): Promise<Static<typeof ReconciliationSchema>> =>
      JSON.parse(await client.ask(request))
    let answer = await ask({ method: 'POST', path: '/reconciliations', body })
    while (answer.reconciliation.finished_at === null) {
      const { id, checkouts, calls } = answer.reconciliation
      const next = `the next round in ${ROUND_MS / 1_000} s`
      process.stderr.write(`${checkouts} checkouts so far, ${calls} calls; ${next}\n`)
      await wait(ROUND_MS)
      answer = await ask({ method: 'POST', path: `/reconciliations/${id}/continue` })
    }
    print(reconcile, answer, answer)
  })
}

/** A command that is one request. `path` is given the command's argument, encoded; `show` the answer and the argument. */
function asks<Answer extends object>(
  command: Command,
  method: 'GET' | 'POST',
  path: (argument: string) => string,
  of: { readonly input?: TObject; readonly show?: (answer: Answer, argument: string) => object } = {},
): void {
  action(command, of.input, async (client, { query, body }) => {
    const [argument = ''] = command.args
    const asked = path(encodeURIComponent(argument))
    const request = of.input && (method === 'GET' ? { path: `${asked}?${query}` } : { body })
    // The service of this very version answers, with the shapes of its schemas.
    const answer: Answer = JSON.parse(await client.ask({ method, path: asked, ...request }))
    print(command, answer, of.show ? of.show(answer, argument) : answer)
  })
}

interface Input {
  readonly body: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

/** What all commands share: where the service is, who acts, and a client that is closed at the end. */
function action(
  command: Command,
  input: TObject | undefined,
  run: (client: OperatorClient, input: Input) => Promise<void>,
): void {
  const options = Object.entries<TSchema>(input?.properties ?? {}).map(([name, schema]) => {
    const option = optionOf(name, schema, input?.required?.includes(name) ?? false)
    command.addOption(option)
    return { name, key: option.attributeName(), flag: 'const' in schema ? String(schema.const) : null }
  })
  command
    .option('--json', 'the answer of the API as it is')
    .option(
      '--url <address>',
      'ask this running service, with the key in OPERATOR_KEY (default: ISHTIRAK_URL)',
    )
    .option('--as <name>', 'who acts, for the audit trail (default: OPERATOR, else your user name)')
    .action(async () => {
      const given = command.opts<Readonly<Record<string, string>>>()
      const body = Object.fromEntries(
        options.flatMap(({ name, key, flag }) => {
          const value = given[key]
          return value === undefined ? [] : [[name, flag ?? value]]
        }),
      )
      // The log would stand between the lines of the answer: only what is wrong is said.
      const client = await openOperatorClient(readConfig(process.env), given, createLog({ level: 'error' }))
      await run(client, { body, query: new URLSearchParams(body) }).finally(() => client.close())
    })
}

/** Of a member with a single value: whether it is given. */
const FLAGS: Readonly<Record<string, string>> = { user_id: '--user <id>', state: '--undelivered' }

function optionOf(name: string, schema: TSchema, isRequired: boolean): Option {
  const { description = '', examples, enum: choices } = Object(schema)
  const example = examples ? `such as ${examples[0]}` : ''
  const says = [description, example].filter((part) => part !== '').join(', ')
  const option = new Option(FLAGS[name] ?? `--${name} <${name}>`, says).makeOptionMandatory(isRequired)
  return choices ? option.choices(choices) : option
}

function print(command: Command, answer: object, shown: object): void {
  const text = command.opts().json
    ? JSON.stringify(answer, null, 2)
    : sections(shown, readConfig(process.env).billing.timeZone)
  process.stdout.write(`${text}\n`)
}
