// The command of an act with a filter in place of an id: the same act to each of a list, followed to its end.
import { type Command, Option } from 'commander'
import type { TObject } from 'typebox'
import { CommandFailed, type OperatorClient } from './operator-client.js'

export interface ManyOf {
  /** Of the act. */
  readonly name: string
  readonly filter: TObject
}

type Given = Readonly<Record<string, string | number>>

/** `add` adds the options of members and gives their reader. What is a member of the act too is `--of-…`. */
export function addFilter(
  command: Command,
  { filter }: ManyOf,
  input: TObject,
  add: (command: Command, of: { input: TObject }) => (isPreview: boolean) => Given,
): () => Given {
  const own = Object.entries(filter.properties).filter(([name]) => !(name in input.properties))
  const same = Object.entries(filter.properties).filter(([name]) => name in input.properties)
  const read = add(command, { input: { ...filter, properties: Object.fromEntries(own) } })
  const options = same.map(([name]) => {
    const option = new Option(`--of-${name} <${name}>`, 'Of a list: only those of this one')
    command.addOption(option)
    return { name, option }
  })
  return () => {
    const given = command.opts<Readonly<Record<string, string>>>()
    const others = options.flatMap(({ name, option }) => {
      const value = given[option.attributeName()]
      return value === undefined ? [] : [[name, value] as const]
    })
    return { ...read(false), ...Object.fromEntries(others) }
  }
}

/** Gives the last answer: of the preview, or of the act when it is finished. Throws `CommandFailed`. */
export async function askOfMany(
  client: OperatorClient,
  { name }: ManyOf,
  of: { readonly filter: Given; readonly members: Given; readonly isPreview: boolean },
): Promise<string> {
  const { filter, members, isPreview } = of
  if (Object.keys(filter).length === 0) throw new CommandFailed('say who is meant: by an id, or by a filter')
  const { why, operation_id, ...input } = members
  const asked = { act: name, filter, input }
  if (isPreview) return client.ask({ method: 'POST', path: '/bulk/start/preview', body: asked })
  const named = operation_id === undefined ? {} : { operation_id }
  let answer = await client.ask({ method: 'POST', path: '/bulk/start', body: { ...asked, why, ...named } })
  for (let bulk = JSON.parse(answer); bulk.finished_at === null; bulk = JSON.parse(answer)) {
    process.stderr.write(`${bulk.targets - bulk.left} of ${bulk.targets}\n`)
    answer = await client.ask({ method: 'POST', path: `/bulk/${bulk.id}/continue` })
  }
  return answer
}
