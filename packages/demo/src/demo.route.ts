// The route by which `ishtirak demo` reaches the running sandbox. `serve` loads and registers it beside the
// emulator; a service with a real provider's key has neither.
import { PassThrough } from 'node:stream'
import { type App, BillingError, createOperatorKeys, type Sandbox } from 'ishtirak/internal'
import { DEMO_BOUNDS, DEMO_PATH, type DemoRequest, refuseSecondDemo, runDemo } from './demo.js'

const DemoSchema = {
  type: 'object',
  properties: {
    users: { type: 'integer', ...DEMO_BOUNDS.users },
    seed: { type: 'integer', ...DEMO_BOUNDS.seed },
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
