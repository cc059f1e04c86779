// A command that puts one file of the operator's API into a new file, which only its owner may read.
import { open, rm } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { askByName } from './cli-names.js'
import { requireId } from './commands.js'
import { type AccessOptions, addAccessOptions, CommandFailed, type CommandHost } from './operator-client.js'

interface FileCommand {
  /** `payments proof <payment>`; the commands of its group come first. */
  readonly usage: string
  readonly summary: string
  /** Of the file: `--out`. */
  readonly flag: string
  readonly options: readonly Option[]
  /** Below the operator's API, of the id and what the options say. */
  path(id: string, options: Readonly<Record<string, string>>): string
}

export function addFileCommand(program: Command, host: CommandHost, of: FileCommand): void {
  const [name, usage = ''] = of.usage.split(/ (.*)/)
  const group = program.commands.find((one) => one.name() === name)
  if (!group) throw new Error(`the commands about ${name} come first`)
  const target = new Option(`${of.flag} <file>`, 'a new file, which only you may read').makeOptionMandatory()
  const command = group.command(usage).description(of.summary)
  for (const option of of.options) command.addOption(option)
  addAccessOptions(command.addOption(target)).action(
    async (id: string, options: AccessOptions & Readonly<Record<string, string>>) => {
      requireId(id)
      const to = String(options[target.attributeName()])
      // Before the reading, which stands in the audit trail.
      const file = await open(to, 'wx', 0o600).catch(sayWhy)
      try {
        const client = await host.openClient(options)
        const named = { client, name: id, timeZone: host.timeZone() }
        const { type, content } = await askByName(named, (id) =>
          client.download({ method: 'GET', path: of.path(encodeURIComponent(id), options) }),
        ).finally(() => client.close())
        await file.writeFile(content)
        process.stdout.write(`${to}: ${type}, ${content.length} bytes\n`)
      } catch (error) {
        await rm(to)
        throw error
      } finally {
        await file.close()
      }
    },
  )
}

function sayWhy(error: NodeJS.ErrnoException): never {
  throw new CommandFailed(
    error.code === 'EEXIST' ? `the file exists: ${error.path}; name another one` : error.message,
  )
}
