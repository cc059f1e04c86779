// Where `ishtirak demo` reaches the running sandbox. `serve` loads and registers it beside the emulator; a service with a key of
// the provider has neither.
import { PassThrough } from 'node:stream'
import Type from 'typebox'
import { BillingError } from '../../core/error.js'
import type { App } from '../../http/app.js'
import { createOperatorKeys } from '../../http/auth.js'
import { DEMO_BOUNDS, DEMO_PATH } from '../sandbox.js'
import { type DemoRequest, refuseSecondDemo, runDemo, type Sandbox } from './demo.js'

const DemoSchema = Type.Object(
  {
    users: Type.Integer(DEMO_BOUNDS.users),
    seed: Type.Integer(DEMO_BOUNDS.seed),
  },
  { additionalProperties: false },
)

/** Answers with the lines of `runDemo`, each as it comes. A demo whose caller has gone runs to its end. */
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
    app.post(
      DEMO_PATH,
      {
        schema: { hide: true, body: DemoSchema },
        onRequest: async ({ headers }) => void operators.verify(headers.authorization),
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
