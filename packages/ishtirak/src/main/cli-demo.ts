// The command that fills the running sandbox with a year of a pretend shop.
import { type Command, InvalidArgumentError } from 'commander'
import { readConfig } from '../runtime/config.js'
import { chunksOf } from './cli-backup.js'
import type { DemoRequest } from './demo/demo.js'
import { CommandFailed } from './operator-client.js'
import { DEMO_PATH, readSandboxState, runningSandbox } from './sandbox.js'

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('Fill the running sandbox with a pretend shop: users, and a year of their payments; once')
    .option('--users <count>', 'how many', wholeNumber, 500)
    .option('--seed <number>', 'the same number tells the same year', wholeNumber, 1)
    .action(async (request: DemoRequest) => {
      const response = await ask(request)
      if (!response.ok || !response.body) throw refusal(response.status, await response.text())
      const decoder = new TextDecoder()
      try {
        for await (const part of chunksOf(response.body))
          process.stdout.write(decoder.decode(part, { stream: true }))
      } catch {
        throw new CommandFailed('the demo failed: the sandbox has logged why')
      }
      const { href } = new URL('/console', response.url)
      process.stdout.write(
        `${request.users} users, and a year of their payments: ${href}, with a key that npm start has printed\n`,
      )
    })
}

async function ask(request: DemoRequest): Promise<Response> {
  const config = readConfig(process.env)
  if (config.chargily) throw new CommandFailed('a demo is for the sandbox, and CHARGILY_SECRET_KEY is set')
  const url = await runningSandbox(config)
  if (url === null)
    throw new CommandFailed('no sandbox runs here: start it with npm start, and ask again beside it')
  const { operatorKey } = await readSandboxState(config)
  return fetch(`${url}${DEMO_PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
}

function refusal(status: number, body: string): CommandFailed {
  if (status === 409)
    return new CommandFailed(
      'the sandbox has a demo already, or one is under way: start a sandbox with an empty DATA_DIR for another',
    )
  if (status === 422) return new CommandFailed('--users is from 1 to 5000, --seed from 0 to 2147483647')
  return new CommandFailed(`the sandbox answered ${status}: ${body}`)
}

function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('a whole number is needed')
}
