// The commands of operators, made from the acts and readings of the capabilities. Each calls the operator's
// API, which decides, and prints the answer. The options are the members of the schemas.
import { open, readFile, rm } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { type TObject, type TSchema, Type } from 'typebox'
import { type Act, verbOf } from './act.js'
import { addressOfAct } from './act-routes.js'
import { askInBulk, type BulkOf, type Members, untilFinished } from './bulk-command.js'
import { actsOf, type Capability, eventsOf, readingsOf } from './capability.js'
import { askByName } from './cli-names.js'
import { plainJson, sections } from './cli-tables.js'
import { boundsInWords, numberWithin } from './cli-values.js'
import {
  type AccessOptions,
  addAccessOptions,
  CommandFailed,
  type CommandHost,
  type DownloadedFile,
  type OperatorRequest,
} from './operator-client.js'
import type { CommandAnswer, CommandOf, Reading } from './reading.js'

interface Call {
  readonly method: 'GET' | 'POST'
  /** Below the operator's API. */
  readonly path: string
  readonly input: TObject
}

interface Operation extends Call {
  readonly usage: string
  readonly summary: string
  /** The argument is the path of a file, which is sent as the body. */
  readonly takesFile?: boolean
  readonly command: Omit<CommandOf, 'usage'>
  readonly preview?: Call
  /** Set if the command acts on a list when a filter is given instead of the id. */
  readonly bulk?: BulkOf | undefined
}

type CommandGroups = Readonly<Record<string, string>>

/** The commands of the acts and readings of `capabilities`, and those that they write themselves. */
export function addOperatorCommands(
  program: Command,
  capabilities: readonly Capability[],
  host: CommandHost,
): void {
  const known = new Set(program.commands)
  const groups: CommandGroups = Object.assign({}, ...capabilities.map((one) => one.commandGroups))
  const readings = readingsOf(capabilities).flatMap(operationsOfReading)
  for (const operation of [...readings, ...actsOf(capabilities).flatMap(operationsOfAct)])
    addOperation(program, operation, groups, host)
  const events = eventsOf(capabilities)
  for (const { commands } of capabilities) commands?.(program, host, events)
  const headings = new Map(capabilities.flatMap(headingsOf))
  for (const command of program.commands)
    if (!known.has(command)) command.helpGroup(headings.get(command.name()) ?? 'Operate:')
}

/** Pairs each command of a capability, by its name, with the heading of `--help`. */
function headingsOf({ helpHeading, commandGroups = {}, readings = [], acts = [] }: Capability) {
  if (!helpHeading) return []
  const alone = readings.flatMap(({ command }) => command?.usage.split(' ')[0] ?? [])
  const ofActs = acts.map(({ on }) => on.command.group)
  return [...Object.keys(commandGroups), ...alone, ...ofActs].map((name) => [name, helpHeading] as const)
}

/** An act with an object in its input has no command. The verb `start` is not typed: `ishtirak reconcile`. */
function operationsOfAct(act: Act): readonly Operation[] {
  if (Object.values(act.input.properties).some(({ type }: { type?: string }) => type === 'object')) return []
  const { list, command } = act.on
  const { group, argument, columns } = command
  const bulk = act.bulk && list && { name: act.name, filter: list.filter }
  const verb = verbOf(act)
  const words = [group, verb !== 'start' && verb, argument && (bulk ? `[${argument}]` : `<${argument}>`)]
  const path = addressOfAct(act)
  return [
    {
      ...{ usage: words.filter(Boolean).join(' '), summary: act.summary, bulk },
      ...{ method: 'POST', path, input: act.requestBody },
      command: { ...(columns && { columns }) },
      preview: act.secret
        ? { method: 'POST', path: `${path}/preview`, input: act.previewInput }
        : { method: 'GET', path, input: act.previewInput },
    },
  ]
}

/** The first parameter of the path is the argument of the command; further ones become options. */
function operationsOfReading(reading: Reading): readonly Operation[] {
  const { command, summary, path } = reading
  if (command === null) return []
  const [, ...further] = Object.entries(reading.params.properties)
  const input = Type.Object({ ...reading.query.properties, ...Object.fromEntries(further) })
  const takesFile = reading.takes !== undefined
  return [{ usage: command.usage, summary, method: 'GET', path, input, takesFile, command }]
}

/** Finds a group of commands, such as `ishtirak events`. Throws if no reading or act has made it. */
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
  const { preview, bulk, takesFile } = operation
  const { show = (answer) => answer, columns, isFile, judge } = operation.command
  const membersOf = addOptions(command, operation.input)
  const filterOf = bulk && addOptions(command, bulk.filter, operation.input)
  if (preview) command.option('--preview', 'what this would change, now; nothing is changed')
  if (isFile === 'new') command.requiredOption('--out <file>', 'a new file, which only you may read')
  addAccessOptions(command)
    .option('--json', 'the answer of the API, as JSON')
    .action(async () => {
      const options = command.opts<AccessOptions & Readonly<Record<string, unknown>>>()
      const isPreview = options.preview === true
      const called = isPreview && preview ? preview : operation
      const members = membersOf(called.input)
      // A reference on a slip has spaces, so it is several words.
      const argument = command.args.join(' ')
      const client = await host.openClient(options)
      const requestOn = (id: string) => requestOf(called, id, members)
      const call = async (id: string) => {
        if (bulk && filterOf && id === '')
          return askInBulk(client, bulk, { filter: filterOf(bulk.filter), members, isPreview })
        const file = takesFile && { method: 'POST' as const, file: await readFileArgument(id) }
        const answer = await client.ask({ ...requestOn(id), ...file })
        return called.method === 'GET' || isPreview ? answer : untilFinished(client, called.path, answer)
      }
      const timeZone = host.timeZone()
      const named = { client, name: argument, timeZone }
      const answered =
        isFile === 'new'
          ? intoNewFile(String(options.out), () => askByName(named, (id) => client.download(requestOn(id))))
          : askByName(named, call)
      const text = await answered.finally(() => client.close())
      if (isFile) return void process.stdout.write(text)
      const answer: CommandAnswer = JSON.parse(text)
      const shown = () =>
        isPreview
          ? sections(answer, timeZone, PREVIEW_COLUMNS)
          : sections(show(answer, argument), timeZone, columns)
      process.stdout.write(`${options.json ? plainJson(answer) : shown()}\n`)
      const failing = judge?.(answer) ?? null
      if (failing === null) return
      process.stderr.write(`${failing}\n`)
      process.exitCode = 1
    })
}

const PREVIEW_COLUMNS = { changes: ['what', 'of', 'before', 'after'] }

/** True for a search, whose words are the argument of its command. A list has them as the option `--q`. */
const isSearch = ({ required }: TObject) => required?.includes('q') ?? false

/**
 * Adds an option for each member. One that the act has too becomes `--of-<name>`: it filters the list.
 * Returns the function that reads the members of an input, and ends the command if a required one is missing.
 */
function addOptions(command: Command, input: TObject, actInput?: TObject) {
  const isRequired = (name: string) => input.required?.includes(name) ?? false
  const isOption = (name: string, { type }: { type?: string }) =>
    type !== 'array' && !(name === 'q' && isSearch(input))
  const members = Object.entries<TSchema>(input.properties).filter(([name, schema]) => isOption(name, schema))
  const options = members.map(([name, schema]) => {
    const isFilter = actInput !== undefined && name in actInput.properties
    const option = optionOf(isFilter ? `of_${name}` : name, schema, isRequired(name))
    command.addOption(option)
    return { name, option }
  })
  return (wanted: TObject): Members => {
    const given = command.opts<Members>()
    const typed = options
      .filter(({ name }) => name in wanted.properties)
      .map(({ name, option }) => ({ name, option, value: given[option.attributeName()] }))
    const missing = typed.find(({ name, value }) => value === undefined && wanted.required?.includes(name))
    if (missing) command.error(`error: required option '${missing.option.flags}' not specified`)
    return Object.fromEntries(
      typed.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])),
    )
  }
}

function optionOf(name: string, schema: TSchema, isRequired: boolean): Option {
  const { type, description = '', examples = [], enum: choices, const: only } = Object(schema)
  const says = [description, ...examples.slice(0, 1).map((example: string) => `such as ${example}`)]
  const bounds = boundsInWords(Object(schema))
  const text = [isRequired && 'Required.', says.filter(Boolean).join(', '), bounds && `(${bounds})`]
  // The program itself has `--version`.
  const flag = name === 'version' ? '--seen-version' : `--${name.replaceAll('_', '-')}`
  const option = new Option(type === 'boolean' ? flag : `${flag} <${name}>`, text.filter(Boolean).join(' '))
  if (isRequired && 'default' in schema) option.default(schema.default)
  // Any other text is sent unchanged, and the service checks it.
  if (type === 'integer' || type === 'number')
    option.argParser(numberWithin({ ...Object(schema), isWhole: type === 'integer' }))
  if (choices ?? only) option.choices(choices ?? [only])
  return option
}

function readFileArgument(path: string): Promise<Buffer> {
  return readFile(path).catch((error: Error) => {
    throw new CommandFailed(`the file cannot be read: ${error.message}`)
  })
}

/** The argument replaces the first parameter of the path; members replace the further ones. */
function requestOf({ method, path, input }: Call, argument: string, members: Members): OperatorRequest {
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

/** Creates the file before it calls `read`, because each reading is recorded in the audit trail. */
async function intoNewFile(name: string, read: () => Promise<DownloadedFile>): Promise<string> {
  const file = await open(name, 'wx', 0o600).catch(failWithReason)
  try {
    const { type, content } = await read()
    await file.writeFile(content)
    return `${name}: ${type}, ${content.length} bytes\n`
  } catch (error) {
    await rm(name)
    throw error
  } finally {
    await file.close()
  }
}

function failWithReason(error: NodeJS.ErrnoException): never {
  throw new CommandFailed(
    error.code === 'EEXIST' ? `the file exists: ${error.path}; name another one` : error.message,
  )
}
