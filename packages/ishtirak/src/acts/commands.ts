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
import { addFilter, askOfMany, type ManyOf } from './many-command.js'
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
  readonly preview?: { readonly method: 'GET' | 'POST'; readonly path: string }
  readonly isFile?: true
  /** It can be done to each of a list. */
  readonly many?: ManyOf
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
  const operations = [...of.readings.flatMap(ofReading), ...of.acts.flatMap(ofAct)]
  for (const operation of operations) addOperation(program, operation, of.groups, host)
}

function ofAct(act: Act): readonly Operation[] {
  if (act.command === null) return []
  const { group, argument } = act.on.command
  const many = act.on.list && !act.each ? { name: act.name, filter: act.on.list.filter } : undefined
  const named = many ? `[${argument}]` : `<${argument}>`
  const usage = [group, verbOf(act), ...(argument === undefined ? [] : [named])].join(' ')
  const { summary, body: input, asked } = act
  const path = addressOfAct(act)
  const preview = act.asksByPost
    ? { method: 'POST' as const, path: `${path}/preview` }
    : { method: 'GET' as const, path }
  const operation = { usage, summary, method: 'POST' as const, path, input, asked, preview }
  return [{ ...operation, ...(many && { many }), ...act.command }]
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
  const { asked, many, input, asFile, show = (answer) => answer, isMeant, judge } = operation
  const members = addMembers(command, operation)
  const filter = many && addFilter(command, many, input, addMembers)
  if (asked) command.option('--preview', 'what this would change, now; nothing is changed')
  if (asFile) command.option(asFile.flag, asFile.description)
  addAccessOptions(command)
    .option('--json', 'the answer of the API, as JSON')
    .action(async () => {
      const options = command.opts<AccessOptions & Readonly<Record<string, unknown>>>()
      // A reference stands in groups on a slip.
      const argument = command.args.join(' ')
      const request = options.preview ? { ...operation, ...operation.preview, input: asked } : operation
      const given = members(options.preview === true)
      const client = await host.openClient(options)
      const isPreview = options.preview === true
      const call = (id: string) =>
        many && filter && id === ''
          ? askOfMany(client, many, { filter: filter(), members: given, isPreview })
          : ask(client, request, id, given)
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

/** Of a member with another name. */
const FLAGS: Readonly<Record<string, string>> = {
  user_id: '--user <id>',
  new_user: '--new-user',
  payment_id: '--payment <id>',
  operation_id: '--operation-id <id>',
  // `--version` is that of the program.
  version: '--seen <version>',
  uses_per_user: '--uses-per-user <count>',
  received_at: '--received-at <day>',
  legal_form: '--legal-form <form>',
  top_up: '--top-up <dinars>',
  payment_method: '--payment-method <kind>',
}

/** Of a member with one value alone. */
const SWITCHES: Readonly<Record<string, string>> = { state: '--undelivered', balance: '--with-balance' }

type Members = Readonly<Record<string, string | number>>

/** Adds an option for each member. Gives the reader of what was given; a preview needs no reason. */
function addMembers(
  command: Command,
  { input, asked }: Pick<Operation, 'input' | 'asked'>,
): (isPreview: boolean) => Members {
  const members = Object.entries<TSchema>(input.properties).filter(([name]) => name !== 'q')
  const options = members
    .filter(([name]) => betweenOf(name, members) === null)
    .map(([name, member]) => {
      const { const: only } = Object(member)
      const isRequired = input.required?.includes(name) ?? false
      const option = optionOf(name, member, isRequired)
      const isActs = asked !== undefined && !(name in asked.properties)
      command.addOption(option.makeOptionMandatory(isRequired && !isActs))
      return { name, key: option.attributeName(), only, isActs, isMissing: isRequired && isActs, option }
    })
  const between = addBetween(command, members)
  return (isPreview) => {
    const given = command.opts<Readonly<Record<string, string | number>>>()
    const wanted = options.filter(({ isActs }) => !(isPreview && isActs))
    for (const { isMissing, key, option } of wanted)
      if (isMissing && given[key] === undefined)
        command.error(`error: required option '${option.flags}' not specified`)
    const read = wanted.map(({ name, key, only }) => [name, given[key] && (only ?? given[key])] as const)
    const said = read.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
    return Object.fromEntries([...said, ...between()])
  }
}

function optionOf(name: string, member: TSchema, isRequired: boolean): Option {
  const { description = '', examples = [], enum: choices, const: only } = Object(member)
  const says = [description, ...examples.slice(0, 1).map((example: string) => `such as ${example}`)]
  const bounds = boundsInWords(Object(member))
  const text = [isRequired && 'Required.', says.filter(Boolean).join(', '), bounds && `(${bounds})`]
  const flags = (only !== undefined && SWITCHES[name]) || FLAGS[name] || `--${name} <${name}>`
  const option = new Option(flags, text.filter(Boolean).join(' '))
  const reader = readerOf(name, member)
  if (reader) option.argParser(reader)
  if (choices) option.choices(choices)
  return option
}

/** `active_from` and `active_until` are one option: `--active-between 2026-11-01 2026-11-02`. */
function addBetween(
  command: Command,
  members: readonly Member[],
): () => readonly (readonly [string, string])[] {
  const spans = members.flatMap(([name, member]) => {
    const span = betweenOf(name, members)
    return span !== null && name.endsWith('_from') ? [{ span, description: Object(member).description }] : []
  })
  const options = spans.map(({ span, description }) => {
    const flags = `--${span}-between <from until...>`
    const option = new Option(flags, `${description}; and up to the second one`)
    option.argParser((text, before: readonly string[] = []) => [...before, dayOrInstant(text)])
    command.addOption(option)
    return { span, option }
  })
  return () => {
    const given = command.opts<Readonly<Record<string, readonly string[]>>>()
    return options.flatMap(({ span, option }) => {
      const [from, until, ...more] = given[option.attributeName()] ?? []
      if (from === undefined) return []
      if (until === undefined || more.length > 0)
        command.error(`error: option '${option.flags}' takes two days or instants`)
      return [[`${span}_from`, from] as const, [`${span}_until`, until] as const]
    })
  }
}

type Member = readonly [name: string, schema: TSchema]

/** `active` of `active_from`, where there is `active_until`; null: it is a member by itself. */
function betweenOf(name: string, members: readonly Member[]): string | null {
  const [, span] = /^(\w+)_(from|until)$/.exec(name) ?? []
  const has = (end: string) => members.some(([other]) => other === `${span}_${end}`)
  return span !== undefined && has('from') && has('until') ? span : null
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
