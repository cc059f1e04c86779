// The operator's commands. Each asks one operation of the operator's API (a long comparison round after round) and prints the
// answer. What may be done is decided there; the options are the members of its schemas.
import { type Command, Option } from 'commander'
import type { Static, TObject, TSchema } from 'typebox'
import type { MadeCodesSchema } from '../operator/code-schemas.js'
import { csvLine } from '../operator/csv.js'
import type { HealthSchema } from '../operator/health-schemas.js'
import { OPERATIONS } from '../operator/operations.js'
import { DAY_OR_INSTANT_PATTERN, DAY_PATTERN } from '../operator/schemas.js'
import { createLog } from '../runtime/log.js'
import { askByName, isWaitingTransfer } from './cli-names.js'
import { comparisonFinished } from './cli-reconcile.js'
import { plainJson, sections } from './cli-tables.js'
import { boundsInWords, day, dayOrInstant, month, numberWithin } from './cli-values.js'
import { readConfig } from './config.js'
import { CommandFailed, type OperatorClient, openOperatorClient, Refused } from './operator-client.js'

interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly schema: { readonly summary: string; readonly querystring?: TObject; readonly body?: TObject }
}

type Answer = Readonly<Record<string, unknown>>
/** What is printed of the answer. */
type Show = (answer: Answer, argument: string) => Answer

/** A command's argument is the parameter of the path, or the word that is searched. */
const COMMANDS: readonly (readonly [usage: string, operation: Operation, show?: Show])[] = [
  ['health', OPERATIONS.readHealth],
  ['inbox', OPERATIONS.readInbox, ({ data, ...rest }) => ({ ...rest, inbox: data })],
  ['find <word...>', OPERATIONS.search, orNothing],
  ['payments list', OPERATIONS.listAllPayments, ({ data, ...rest }) => ({ payments: data, ...rest })],
  ['payments show <payment>', OPERATIONS.getPaymentFile],
  ['payments record', OPERATIONS.recordPayment],
  ['payments recheck <payment>', OPERATIONS.recheckPayment],
  ['payments accept <payment>', OPERATIONS.acceptPayment],
  ['payments preview-approve <payment>', OPERATIONS.previewApproval],
  ['payments approve <payment>', OPERATIONS.approvePayment],
  ['payments preview-refuse <payment>', OPERATIONS.previewRefusal],
  ['payments refuse <payment>', OPERATIONS.refusePayment],
  ['payments keep <payment>', OPERATIONS.keepPayment],
  ['payments look <payment>', OPERATIONS.lookAtPayment],
  ['payments preview-refund <payment>', OPERATIONS.previewRefund],
  ['payments refund <payment>', OPERATIONS.recordRefund],
  ['payments preview-resend-receipt <payment>', OPERATIONS.previewResendReceipt],
  ['payments resend-receipt <payment>', OPERATIONS.resendReceipt],
  ['users show <user>', OPERATIONS.getUserFile],
  ['users timeline <user>', OPERATIONS.getTimeline, ({ data, ...rest }) => ({ timeline: data, ...rest })],
  ['users grant <user>', OPERATIONS.grantDays],
  ['users end <user>', OPERATIONS.endAccess],
  ['reconcile', OPERATIONS.startReconciliation],
  ['findings close <checkout>', OPERATIONS.closeFinding],
  ['events list', OPERATIONS.listEvents, ({ data, ...state }) => ({ ...state, events: data })],
  ['events resend [event]', OPERATIONS.resendEvent],
  ['events skip <event>', OPERATIONS.skipEvent],
  ['codes create', OPERATIONS.createCodes],
  ['codes list', OPERATIONS.listCodeBatches, ({ data }) => ({ batches: data })],
  ['codes show <batch>', OPERATIONS.getCodeBatch],
  ['codes revoke <batch>', OPERATIONS.revokeCodes],
  [
    'operators sessions',
    OPERATIONS.listOperatorSessions,
    ({ data, ...rest }) => ({ sessions: data, ...rest }),
  ],
  ['operators trail', OPERATIONS.readTrail, ({ data, ...rest }) => ({ trail: data, ...rest })],
  ['operators revoke <session>', OPERATIONS.revokeOperatorSession],
  ['months <month>', OPERATIONS.getMonth, flatMonth],
  ['journal <month>', OPERATIONS.getJournal, ({ data, ...rest }) => ({ receipts: data, ...rest })],
  ['export payments', OPERATIONS.exportPayments],
  ['export accounts', OPERATIONS.exportAccounts],
]
const GROUPS: Readonly<Record<string, string>> = {
  payments: 'Look at payments, and act on one',
  users: 'Look at a user, grant days, end their access',
  findings: 'Close what a comparison found, with the reason',
  events: 'Look at what is sent to the platform, and whether it arrives',
  codes: 'Make codes for vouchers and discounts, and see what is used',
  operators: 'See who is signed in to the console, end a session, and read what operators did',
  export: 'Export for the accountant',
}

export function addOperatorCommands(program: Command): void {
  for (const [usage, operation, show] of COMMANDS) {
    const [group = '', name = ''] = usage.split(/ (.*)/)
    const description = GROUPS[group]
    const known = program.commands.find((one) => one.name() === group)
    const parent = known ?? (description ? program.command(group).description(description) : program)
    const command = parent.command(parent === program ? usage : name).description(operation.schema.summary)
    addAction(command, operation, show)
  }
}

/** What all commands share: where the service is, who acts, and a client that is closed at the end. */
function addAction(command: Command, operation: Operation, show: Show = (answer) => answer): void {
  const members = addMembers(command, operation)
  if (operation === OPERATIONS.resendEvent)
    command.option('--all-undelivered', `instead: ${OPERATIONS.resendWaitingEvents.schema.summary}`)
  if (operation === OPERATIONS.createCodes) command.option('--csv', 'the codes as CSV, for the printer')
  addAccessOptions(command)
    .option('--json', 'the answer of the API, as JSON')
    .action(async () => {
      const options = command.opts<Readonly<Record<string, string>>>()
      // A reference stands in groups on a slip.
      const argument = command.args.join(' ')
      const asked = options.allUndelivered ? OPERATIONS.resendWaitingEvents : operation
      const config = readConfig(process.env)
      // The log would stand between the lines of the answer: only what is wrong is said.
      const client = await openOperatorClient(config, options, createLog({ level: 'error' }))
      const call = (name: string) => ask(client, asked, name, members())
      const isMeant = DECIDED.includes(operation) ? isWaitingTransfer : undefined
      const named = { client, name: argument, timeZone: config.billing.timeZone, isMeant }
      const text = await askByName(named, call)
        .catch((error: unknown) => adviseOn(operation, error))
        .finally(() => client.close())
      const shown = () => sections(show(JSON.parse(text), argument), config.billing.timeZone)
      if (isFile(operation)) process.stdout.write(text)
      else if (options.csv) process.stdout.write(codesAsCsv(JSON.parse(text)))
      else process.stdout.write(`${options.json ? plainJson(JSON.parse(text)) : shown()}\n`)
      if (operation === OPERATIONS.readHealth) judgeHealth(JSON.parse(text))
    })
}

/** By an e-mail address, they mean the transfer of that user which waits. */
const DECIDED: readonly Operation[] = [
  OPERATIONS.previewApproval,
  OPERATIONS.approvePayment,
  OPERATIONS.previewRefusal,
  OPERATIONS.refusePayment,
]

/** What to type instead, where that is known. */
function adviseOn(operation: Operation, error: unknown): never {
  const isUnknownUser = error instanceof Refused && error.code === 'not_found' && 'user_id' in error.members
  if (operation !== OPERATIONS.recordPayment || !isUnknownUser) throw error
  throw new CommandFailed(
    `${error.message}: correct --user, or add --new-user where the service has not seen them yet`,
  )
}

/** For a supervisor or a script: the exit code says that a check fails, and which one stands alone on stderr. */
function judgeHealth({ checks }: Static<typeof HealthSchema>): void {
  const failing = checks.filter(({ verdict }) => verdict === 'fail')
  if (failing.length === 0) return
  process.stderr.write(`${failing.map(({ subject, found }) => `${subject} fails: ${found}`).join('\n')}\n`)
  process.exitCode = 1
}

/** Which service is asked, and who acts. */
export function addAccessOptions(command: Command): Command {
  return command
    .option(
      '--url <address>',
      'ask this running service, with the key in OPERATOR_KEY (default: ISHTIRAK_URL)',
    )
    .option('--as <name>', 'who acts, for the audit trail (default: OPERATOR, else your user name)')
}

/** Of a member with another name, or with a single value. */
const FLAGS: Readonly<Record<string, string>> = {
  user_id: '--user <id>',
  new_user: '--new-user',
  payment_id: '--payment <id>',
  operation_id: '--operation-id <id>',
  state: '--undelivered',
  // `--version` is that of the program.
  version: '--seen <version>',
  uses_per_user: '--uses-per-user <count>',
  received_at: '--received-at <day>',
  payment_method: '--payment-method <kind>',
}

type Members = Readonly<Record<string, string | number>>

/** Adds an option for each member of the request. Gives the function that reads what was given. */
function addMembers(command: Command, { schema }: Operation): () => Members {
  const input = schema.body ?? schema.querystring
  const members = Object.entries<TSchema>(input?.properties ?? {}).filter(([name]) => name !== 'q')
  const options = members.map(([name, member]) => {
    const { description = '', examples = [], enum: choices, const: only } = Object(member)
    const isRequired = input?.required?.includes(name) ?? false
    const says = [description, ...examples.slice(0, 1).map((example: string) => `such as ${example}`)]
    const bounds = boundsInWords(Object(member))
    const text = [isRequired && 'Required.', says.filter(Boolean).join(', '), bounds && `(${bounds})`]
    const option = new Option(FLAGS[name] ?? `--${name} <${name}>`, text.filter(Boolean).join(' '))
    const reader = readerOf(name, member)
    if (reader) option.argParser(reader)
    if (choices) option.choices(choices)
    command.addOption(option.makeOptionMandatory(isRequired))
    return { name, key: option.attributeName(), only }
  })
  return () => {
    const given = command.opts<Readonly<Record<string, string | number>>>()
    const read = options.map(({ name, key, only }) => [name, given[key] && (only ?? given[key])] as const)
    return Object.fromEntries(read.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  }
}

/** Undefined: text is taken as it is, and what is wrong with it the service says. */
function readerOf(name: string, member: TSchema): ((text: string) => string | number) | undefined {
  const { type, pattern } = Object(member)
  if (type === 'integer' || type === 'number')
    return numberWithin({ ...Object(member), isWhole: type === 'integer' })
  if (pattern === DAY_PATTERN) return day
  if (pattern === DAY_OR_INSTANT_PATTERN) return dayOrInstant
  return name === 'month' ? month : undefined
}

/** The body of the answer; a comparison is continued to its end. */
async function ask(
  client: OperatorClient,
  { method, path, schema }: Operation,
  argument: string,
  members: Members,
): Promise<string> {
  if (path.includes('/:')) requireId(path, argument)
  if (path.includes('/:month')) month(argument)
  const address = path.replace(/:\w+/, encodeURIComponent(argument))
  const word = path === OPERATIONS.search.path ? { q: argument } : {}
  const query = schema.querystring ? `?${new URLSearchParams(entriesOf({ ...members, ...word }))}` : ''
  const request = { method, path: `${address}${query}`, ...(schema.body && { body: members }) }
  const isComparison = path === OPERATIONS.startReconciliation.path
  if (!isComparison && !path.startsWith('/exports/')) return client.ask(request)
  const { withProgress } = await import('../runtime/progress.js')
  return isComparison
    ? withProgress('checkouts', async ({ at }) => comparisonFinished(client, await client.ask(request), at))
    : withProgress('MB', ({ at }) => client.ask(request, at))
}

function entriesOf(members: Members): string[][] {
  return Object.entries(members).map(([name, value]) => [name, String(value)])
}

/** The next part of the address would take the place of an id that is empty, `.` or `..`. */
export function requireId(path: string, id: string): void {
  if (id === '' && path === OPERATIONS.resendEvent.path)
    throw new CommandFailed('name an event, or say --all-undelivered')
  if (/^\.{0,2}$/.test(id)) throw new CommandFailed(`nothing can have the id '${id}'`)
}

function orNothing(found: Answer, word: string): Answer {
  if (Object.values(found).flat().length > 0) return found
  throw new CommandFailed(`nothing is known as ${word}`)
}

function isFile(operation: Operation): boolean {
  return operation === OPERATIONS.exportPayments || operation === OPERATIONS.exportAccounts
}

/** A line of the tables has what was paid and refunded; days without either are left out. */
function flatMonth({ by_method, by_day, ...month }: Answer): Answer {
  type Line = Readonly<Record<'paid' | 'refunded', Answer>> & Answer
  const lines = (list: unknown) =>
    (list as readonly Line[])
      .map(({ paid, refunded, ...named }) => ({
        ...named,
        ...paid,
        refunds: refunded.count,
        refunded: refunded.ttc,
      }))
      .filter(({ count, refunds }: Answer) => count !== 0 || refunds !== 0)
  return { ...month, by_method: lines(by_method), by_day: lines(by_day) }
}

function codesAsCsv({ batch_id, codes }: Static<typeof MadeCodesSchema>): string {
  return [csvLine(['code', 'batch_id']), ...codes.map((code) => csvLine([code, batch_id]))].join('')
}
