// The options of a benchmark, with their help: what each says, and what it is where it is left out.
import { Command } from 'commander'
import { numberWithin } from '../../packages/ishtirak/dist/main/internal.js'

export const count = numberWithin({ minimum: 1 })
export const countOrNone = numberWithin({})

/**
 * By name: `[says, preset, reader]`. A preset that is a number is read as one, from 1 on; `false` is a flag.
 */
export function readOptions(name, description, options = {}) {
  const command = new Command(`npm run bench -- ${name}`).description(description)
  for (const [
    option,
    [says, preset, reader = typeof preset === 'number' ? count : undefined],
  ] of Object.entries(options)) {
    if (preset === false) command.option(`--${option}`, says, preset)
    else if (reader) command.option(`--${option} <number>`, says, reader, preset)
    else command.option(`--${option} <text>`, says, preset)
  }
  return command.parse().opts()
}
