// The demo's exports: the route of the running sandbox, and the command that calls it. `serve` loads and
// registers the route beside the emulator; a service with a real provider's key has neither.
import { PassThrough, Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { Command } from 'commander'
import {
  type App,
  BillingError,
  boundsInWords,
  CommandFailed,
  createOperatorKeys,
  numberWithin,
  readConfig,
  readSandboxState,
  runningSandbox,
  type Sandbox,
} from 'ishtirak/internal'
import { DEMO_BOUNDS, DEMO_PATH, type DemoRequest, refuseSecondDemo, runDemo } from './demo.js'

const { users: USERS, seed: SEED } = DEMO_BOUNDS

const DemoSchema = {
  type: 'object',
  properties: {
    users: { type: 'integer', ...USERS },
    seed: { type: 'integer', ...SEED },
  },
  required: ['users', 'seed'],
  additionalProperties: false,
}

/** Streams the lines of `runDemo`. If the caller leaves, the demo still runs to its end. */
export function demoRoute(sandbox: Sandbox) {
  const operators = createOperatorKeys(
    sandbox.config.operatorKeys.filter(({ role }) => role === 'owner'),
    sandbox.service.parts.noteUse,
  )
  const { log } = sandbox.service.parts
  let isRunning = false
  const run = async (request: DemoRequest, lines: PassThrough) => {
    try {
      for await (const line of runDemo(sandbox, request)) lines.write(`${line}\n`)
      lines.end()
    } catch (error) {
      log.error({ err: error }, 'the demo failed')
      lines.destroy()
    } finally {
      isRunning = false
    }
  }
  return async (app: App): Promise<void> => {
    app.post<{ Body: DemoRequest }>(
      DEMO_PATH,
      {
        schema: { hide: true, body: DemoSchema },
        onRequest: async ({ headers }) => void (await operators.verify(headers.authorization)),
      },
      async ({ body }, reply) => {
        if (isRunning) throw new BillingError('conflict')
        isRunning = true
        const lines = new PassThrough()
        await refuseSecondDemo(sandbox).catch((error) => {
          isRunning = false
          throw error
        })
        void run(body, lines)
        return reply.type('text/plain; charset=utf-8').send(lines)
      },
    )
  }
}

export async function demoCommand(options: readonly string[]): Promise<void> {
  await new Command('ishtirak demo')
    .description('Fill the running sandbox with a pretend shop: users, and a year of their payments; once')
    .option('--users <count>', `how many: ${boundsInWords(USERS)}`, numberWithin(USERS), 500)
    .option('--seed <number>', 'the same number tells the same year', numberWithin(SEED), 1)
    .action(async (request: DemoRequest) => {
      const response = await ask(request)
      if (!response.ok || !response.body) throw refusal(response.status, await response.text())
      try {
        // A line for each month.
        for await (const part of Readable.fromWeb(response.body as ReadableStream)) process.stdout.write(part)
      } catch {
        throw new CommandFailed('the demo failed: the sandbox has logged why')
      }
      const { href } = new URL('/console', response.url)
      process.stdout.write(
        `${request.users} users, and a year of their payments: ${href}, ` +
          `with a key that npm start has printed\n`,
      )
    })
    .parseAsync(options, { from: 'user' })
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
      'the sandbox has a demo already, or one is under way: start one with an empty DATA_DIR for another',
    )
  return new CommandFailed(`the sandbox answered ${status}: ${body}`)
}
