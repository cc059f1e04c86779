// The common parts of the commands `npm run nightly -- fault:NAME`.
import { Command } from 'commander'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { numberWithin } from '../../packages/ishtirak/src/acts/cli-values.js'
import { buildOnce } from '../support/process.js'
import { CHARGILY_KEY } from '../support/world.js'

export function faultCommand(
  name: string,
  description: string,
  numbers: Readonly<Record<string, readonly [what: string, standard: number, maximum: number]>> = {},
): Command {
  const command = new Command(`npm run nightly -- fault:${name}`).description(description)
  for (const [option, [what, standard, maximum]] of Object.entries(numbers))
    command.option(`--${option} <number>`, what, numberWithin({ minimum: 1, maximum }), standard)
  return command
}

export async function withEmulator<Result>(work: (emulator: Emulator) => Promise<Result>): Promise<Result> {
  buildOnce()
  const emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
  try {
    return await work(emulator)
  } finally {
    await emulator.close()
  }
}

export function print(figures: Readonly<Record<string, unknown>>, faults: readonly string[] = []): void {
  const lines = Object.entries(figures).map(([name, value]) => `${name.padEnd(40)} ${value}`)
  process.stdout.write(`${[...lines, ...new Set(faults.map((fault) => `FAULT ${fault}`))].join('\n')}\n`)
}

export const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`
