// The commands of operators, made from the acts and readings of the capabilities. Each calls the operator's
// API, which decides, and prints the answer. The options are the members of the schemas.
import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { type TObject, type TSchema, Type } from 'typebox'
import { type Act, verbOf } from './act.js'
import { addressOfAct } from './act-routes.js'
import { addFilter, askInBulk, type BulkOf, untilFinished } from './bulk-command.js'
import { intoNewFile } from './cli-file.js'
import { askByName } from './cli-names.js'
import { plainJson, sections } from './cli-tables.js'
import { boundsInWords, numberWithin } from './cli-values.js'
import {
  type AccessOptions,
  addAccessOptions,
  CommandFailed,
  type CommandHost,
  type OperatorRequest,
} from './operator-client.js'
import type { CommandAnswer, Reading } from './reading.js'

/** The API operation that a command calls. */
interface Operation {
  readonly usage: string
  readonly summary: string
  readonly method: 'GET' | 'POST'
  /** Below the operator's API. */
  readonly path: string
  readonly input: TObject
  /** The argument is the path of a file, which is sent as the body. */
  readonly takesFile?: boolean
  readonly command: Omit<NonNullable<Reading['command']>, 'usage'>
  readonly preview?: Pick<Operation, 'method' | 'path' | 'input'>
  /** With a filter in place of the id, it acts on a list. */
  readonly bulk?: BulkOf
}

/** The descriptions of the groups. */
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

/** An act with an object in its input has no command. The command of `bulk.start` is `bulk`. */
function ofAct(act: Act): readonly Operation[] {
  if (Object.values(act.input.properties).some(({ type }: { type?: string }) => type === 'object')) return []
  const { group, argument, columns } = act.on.command
  const bulk = act.on.list && act.bulk ? { name: act.name, filter: act.on.list.filter } : undefined
  const named = bulk ? `[${argument}]` : `<${argument}>`
  const verb = verbOf(act)
  const words = [group, ...(verb === 'start' ? [] : [verb]), ...(argument === undefined ? [] : [named])]
  const path = addressOfAct(act)
  const preview: Operation['preview'] = act.asksByPost
    ? { method: 'POST', path: `${path}/preview`, input: act.asked }
    : { method: 'GET', path, input: act.asked }
  const operation = { usage: words.join(' '), summary: act.summary, method: 'POST' as const, path }
  return [
    {
      ...operation,
      input: act.body,
      command: { ...(columns && { columns }) },
      preview,
      ...(bulk && { bulk }),
    },
  ]
}

/** The first parameter of the path is the argument of the command; further ones become options. */
function ofReading({ command, summary, path, params, query, takes }: Reading): readonly Operation[] {
  if (command === null) return []
  const [, ...further] = Object.entries(params.properties)
  const input = Type.Object({ ...query.properties, ...Object.fromEntries(further) })
  const takesFile = takes !== undefined
  return [{ usage: command.usage, summary, method: 'GET', path, input, takesFile, command }]
}

/** The group, such as `ishtirak events`, whose readings and acts made it. */
export function commandsOf(program: Command, group: string): Command {
  const found = program.commands.find((one) => one.name() === group)
  if (!found) throw new Error(`no reading or act has made the group ${group} yet`)
  return found
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

/** Adds the options and the action: it opens a client, calls the operation, prints, and closes the client. */
function addAction(command: Command, operation: Operation, host: CommandHost): void {
  const { preview, bulk, input } = operation
  const { show = (answer) => answer, columns, isFile, judge } = operation.command
  const members = addMembers(command, input, preview?.input)
  const filter = bulk && addFilter(command, bulk, input, addMembers)
  if (preview) command.option('--preview', 'what this would change, now; nothing is changed')
  if (isFile === 'new') command.requiredOption('--out <file>', 'a new file, which only you may read')
  addAccessOptions(command)
    .option('--json', 'the answer of the API, as JSON')
    .action(async () => {
      const options = command.opts<AccessOptions & Readonly<Record<string, unknown>>>()
      const isPreview = options.preview === true
      // A reference on a slip has spaces, so it is several words.
      const argument = command.args.join(' ')
      const given = members(isPreview)
      const client = await host.openClient(options)
      const call = async (id: string) => {
        if (bulk && filter && id === '')
          return askInBulk(client, bulk, { filter: filter(), members: given, isPreview })
        const request = isPreview && preview ? preview : operation
        const asked = requestOf(request, id, given)
        const file = operation.takesFile && { method: 'POST' as const, file: await readGiven(id) }
        const answer = await client.ask({ ...asked, ...file })
        return operation.method === 'GET' || isPreview
          ? answer
          : untilFinished(client, operation.path, answer)
      }
      const timeZone = host.timeZone()
      const named = { client, name: argument, timeZone }
      const download = (id: string) => client.download(requestOf(operation, id, given))
      const answered =
        isFile === 'new'
          ? intoNewFile(String(options.out), () => askByName(named, download))
          : askByName(named, call)
      const text = await answered.finally(() => client.close())
      if (isFile) return void process.stdout.write(text)
      const answer: CommandAnswer = JSON.parse(text)
      const shown = () =>
        isPreview
          ? sections(answer, timeZone, PREVIEWED)
          : sections(show(answer, argument), timeZone, columns)
      process.stdout.write(`${options.json ? plainJson(answer) : shown()}\n`)
      const failing = judge?.(answer) ?? null
      if (failing === null) return
      process.stderr.write(`${failing}\n`)
      process.exitCode = 1
    })
}

const PREVIEWED = { changes: ['what', 'of', 'before', 'after'] }

type Members = Readonly<Record<string, string | number | boolean>>

/** True for a search, whose words are the argument of its command. A list has them as the option `--q`. */
const isSearch = ({ required }: TObject) => required?.includes('q') ?? false

/** Adds an option for each member, and returns the function that reads them. A preview needs less. */
function addMembers(command: Command, input: TObject, asked?: TObject): (isPreview: boolean) => Members {
  const members = Object.entries<TSchema>(input.properties).filter(
    ([name, { type }]: [string, { type?: string }]) => !(name === 'q' && isSearch(input)) && type !== 'array',
  )
  const options = members.map(([name, member]) => {
    const isRequired = input.required?.includes(name) ?? false
    const option = optionOf(name, member, isRequired)
    const isActs = asked !== undefined && !(name in asked.properties)
    if (isRequired && 'default' in member) option.default(member.default)
    command.addOption(option.makeOptionMandatory(isRequired && !isActs))
    return { name, option, isActs, isMissing: isRequired && isActs }
  })
  return (isPreview) => {
    const given = command.opts<Members>()
    const wanted = options.filter(({ isActs }) => !(isPreview && isActs))
    for (const { isMissing, option } of wanted)
      if (isMissing && given[option.attributeName()] === undefined)
        command.error(`error: required option '${option.flags}' not specified`)
    return Object.fromEntries(
      wanted.flatMap(({ name, option }) => {
        const value = given[option.attributeName()]
        return value === undefined ? [] : [[name, value] as const]
      }),
    )
  }
}

function optionOf(name: string, member: TSchema, isRequired: boolean): Option {
  const { type, description = '', examples = [], enum: choices, const: only } = Object(member)
  const says = [description, ...examples.slice(0, 1).map((example: string) => `such as ${example}`)]
  const bounds = boundsInWords(Object(member))
  const text = [isRequired && 'Required.', says.filter(Boolean).join(', '), bounds && `(${bounds})`]
  // The program itself has `--version`.
  const flag = name === 'version' ? '--seen-version' : `--${name.replaceAll('_', '-')}`
  const option = new Option(type === 'boolean' ? flag : `${flag} <${name}>`, text.filter(Boolean).join(' '))
  const reader = readerOf(member)
  if (reader) option.argParser(reader)
  if (choices ?? only) option.choices(choices ?? [only])
  return option
}

/** Undefined: the text is sent unchanged, and the service checks it. */
function readerOf(member: TSchema): ((text: string) => number) | undefined {
  const { type } = Object(member)
  if (type !== 'integer' && type !== 'number') return undefined
  return numberWithin({ ...Object(member), isWhole: type === 'integer' })
}

function readGiven(path: string): Promise<Buffer> {
  return readFile(path).catch((error: Error) => {
    throw new CommandFailed(`the file cannot be read: ${error.message}`)
  })
}

type Asked = Pick<Operation, 'method' | 'path' | 'input'>

/** The argument replaces the first parameter of the path; members replace the further ones. */
function requestOf({ method, path, input }: Asked, argument: string, members: Members): OperatorRequest {
  // An id that is empty, `.` or `..` would change the address.
  if (path.includes('/:') && /^\.{0,2}$/.test(argument))
    throw new CommandFailed(`nothing can have the id '${argument}'`)
  const [, ...inPath] = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const address = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(inPath.includes(name) ? String(members[name]) : argument),
  )
  if (method === 'POST') return { method, path: address, body: members }
  const word = isSearch(input) ? { q: argument } : {}
  const asked = Object.entries({ ...members, ...word }).filter(([name]) => !inPath.includes(name))
  const query = new URLSearchParams(asked.map(([name, value]) => [name, String(value)]))
  return { method, path: query.size === 0 ? address : `${address}?${query}` }
}
