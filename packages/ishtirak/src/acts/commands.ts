// The commands of operators, made from the acts and readings of the capabilities. Each asks the operator's
// API and prints the answer. What may be done is decided there; the options are the members of its schemas.
import { type Command, Option } from 'commander'
import type { TObject, TSchema } from 'typebox'
import { type Act, type CommandAnswer, type CommandOf, verbOf } from './act.js'
import { addressOfAct } from './act-routes.js'
import { askByName } from './cli-names.js'
import { plainJson, sections } from './cli-tables.js'
import { boundsInWords, day, dayOrInstant, month, numberWithin } from './cli-values.js'
import { DAY_OR_INSTANT_PATTERN, DAY_PATTERN } from './day.js'
import {
  type AccessOptions,
  addAccessOptions,
  CommandFailed,
  type CommandHost,
  type OperatorClient,
  type OperatorRequest,
  Refused,
} from './operator-client.js'
import type { Reading } from './reading.js'

/** What a command asks. */
interface Operation extends CommandOf {
  readonly usage: string
  readonly summary: string
  readonly method: 'GET' | 'POST'
  /** Below the operator's API. */
  readonly path: string
  readonly input: TObject
  /** Without it nothing is shown beforehand. */
  readonly asked?: TObject
  readonly isFile?: true
}

/** In words, what each is for. */
type CommandGroups = Readonly<Record<string, string>>

export function addOperatorCommands(
  program: Command,
  of: {
    readonly acts: readonly Act[]
    readonly readings: readonly Reading[]
    readonly groups: CommandGroups
  },
  host: CommandHost,
): void {
  const operations = [...of.readings.flatMap(ofReading), ...of.acts.map(ofAct)]
  for (const operation of operations) addOperation(program, operation, of.groups, host)
}

function ofAct(act: Act): Operation {
  const { group, argument } = act.on.command
  const usage = [group, verbOf(act), ...(argument === undefined ? [] : [`<${argument}>`])].join(' ')
  const { summary, body: input, asked } = act
  return { usage, summary, method: 'POST', path: addressOfAct(act), input, asked, ...act.command }
}

function ofReading({ command, summary, path, query: input }: Reading): readonly Operation[] {
  return command === null ? [] : [{ ...command, summary, method: 'GET', path, input }]
}

function addOperation(program: Command, operation: Operation, groups: CommandGroups, host: CommandHost) {
  const { usage, summary } = operation
  const [group = '', name = ''] = usage.split(/ (.*)/)
  const description = groups[group]
  const known = program.commands.find((one) => one.name() === group)
  const parent = known ?? (description ? program.command(group).description(description) : program)
  const command = parent.command(parent === program ? usage : name).description(summary)
  addAction(command, operation, host)
}

/** What all commands share: where the service is, who acts, and a client that is closed at the end. */
function addAction(command: Command, operation: Operation, host: CommandHost): void {
  const { asked, asFile, show = (answer) => answer, isMeant, judge } = operation
  const members = addMembers(command, operation)
  if (asked) command.option('--preview', 'what this would change, now; nothing is changed')
  if (asFile) command.option(asFile.flag, asFile.description)
  addAccessOptions(command)
    .option('--json', 'the answer of the API, as JSON')
    .action(async () => {
      const options = command.opts<AccessOptions & Readonly<Record<string, unknown>>>()
      // A reference stands in groups on a slip.
      const argument = command.args.join(' ')
      const request = options.preview ? { ...operation, method: 'GET' as const, input: asked } : operation
      const given = members(options.preview === true)
      const client = await host.openClient(options)
      const call = (id: string) => ask(client, request, id, given)
      const timeZone = host.timeZone()
      const text = await askByName({ client, name: argument, timeZone, isMeant }, call)
        .catch((error: unknown) => adviseOn(operation, error))
        .finally(() => client.close())
      if (operation.isFile) return void process.stdout.write(text)
      const answer: CommandAnswer = JSON.parse(text)
      const shown = () => sections(options.preview ? answer : show(answer, argument), timeZone)
      if (asFile && options[asFile.flag.replace(/^--/, '')]) process.stdout.write(asFile.write(answer))
      else process.stdout.write(`${options.json ? plainJson(answer) : shown()}\n`)
      const failing = judge?.(answer) ?? null
      if (failing === null) return
      process.stderr.write(`${failing}\n`)
      process.exitCode = 1
    })
}

function adviseOn({ advise }: Operation, error: unknown): never {
  const advice = error instanceof Refused ? (advise?.(error) ?? null) : null
  if (!(error instanceof Refused) || advice === null) throw error
  // Behind the members that a refusal names, on a line of its own.
  throw new CommandFailed(`${error.message}${error.message.includes('\n') ? '\n' : ': '}${advice}`)
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
  top_up: '--top-up <dinars>',
  payment_method: '--payment-method <kind>',
}

type Members = Readonly<Record<string, string | number>>

/** Adds an option for each member. Gives the reader of what was given; a preview needs no reason. */
function addMembers(command: Command, { input, asked }: Operation): (isPreview: boolean) => Members {
  const members = Object.entries<TSchema>(input.properties).filter(([name]) => name !== 'q')
  const options = members.map(([name, member]) => {
    const { description = '', examples = [], enum: choices, const: only } = Object(member)
    const isRequired = input.required?.includes(name) ?? false
    const says = [description, ...examples.slice(0, 1).map((example: string) => `such as ${example}`)]
    const bounds = boundsInWords(Object(member))
    const text = [isRequired && 'Required.', says.filter(Boolean).join(', '), bounds && `(${bounds})`]
    const option = new Option(FLAGS[name] ?? `--${name} <${name}>`, text.filter(Boolean).join(' '))
    const reader = readerOf(name, member)
    if (reader) option.argParser(reader)
    if (choices) option.choices(choices)
    const isActs = asked !== undefined && !(name in asked.properties)
    command.addOption(option.makeOptionMandatory(isRequired && !isActs))
    return { name, key: option.attributeName(), only, isActs, isMissing: isRequired && isActs, option }
  })
  return (isPreview) => {
    const given = command.opts<Readonly<Record<string, string | number>>>()
    const wanted = options.filter(({ isActs }) => !(isPreview && isActs))
    for (const { isMissing, key, option } of wanted)
      if (isMissing && given[key] === undefined)
        command.error(`error: required option '${option.flags}' not specified`)
    const read = wanted.map(({ name, key, only }) => [name, given[key] && (only ?? given[key])] as const)
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

/** The body of the answer; what takes several rounds is followed to its end. */
async function ask(
  client: OperatorClient,
  {
    method,
    path,
    input,
    follow,
    isFile,
  }: Pick<Operation, 'method' | 'path' | 'follow' | 'isFile'> & {
    readonly input?: TObject | undefined
  },
  argument: string,
  members: Members,
): Promise<string> {
  if (path.includes('/:')) requireId(argument)
  if (path.includes('/:month')) month(argument)
  const address = path.replace(/:\w+/, encodeURIComponent(argument))
  const word = input && 'q' in input.properties ? { q: argument } : {}
  const query = new URLSearchParams(entriesOf({ ...members, ...word }))
  const request: OperatorRequest =
    method === 'POST'
      ? { method, path: address, body: members }
      : { method, path: query.size === 0 ? address : `${address}?${query}` }
  if (!isFile && (!follow || method === 'GET')) return client.ask(request)
  const { withProgress } = await import('../runtime/progress.js')
  return follow
    ? withProgress('checkouts', async ({ at }) => follow(client, await client.ask(request), at))
    : withProgress('MB', ({ at }) => client.ask(request, at))
}

function entriesOf(members: Members): string[][] {
  return Object.entries(members).map(([name, value]) => [name, String(value)])
}

/** The next part of the address would take the place of an id that is empty, `.` or `..`. */
export function requireId(id: string): void {
  if (/^\.{0,2}$/.test(id)) throw new CommandFailed(`nothing can have the id '${id}'`)
}
