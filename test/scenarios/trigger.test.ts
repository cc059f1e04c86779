// `ishtirak events trigger`: a sample as a receiver gets it, and nothing of it in the database.
import { Command } from 'commander'
import { verifyEvent } from '../../packages/client/src/verify-event.js'
import { addOperatorCommands } from '../../packages/ishtirak/src/acts/commands.js'
import { EVENT_TYPES } from '../../packages/ishtirak/src/core/event-types.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'
import { commandHost } from '../../packages/ishtirak/src/main/command-host.js'
import { Receiver, SECRET } from '../support/receiver.js'

let receiver: Receiver
let printed: string
beforeEach(async () => {
  receiver = await Receiver.start()
  printed = ''
  const keep = (text: string | Uint8Array) => {
    printed += text
    return true
  }
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(keep)
  for (const name of ['CHARGILY_SECRET_KEY', 'NODE_ENV', 'EVENTS_URL']) vi.stubEnv(name, '')
  vi.stubEnv('DATABASE_URL', 'memory:')
  vi.stubEnv('EVENTS_SECRETS', SECRET)
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  process.exitCode = undefined
  await receiver.goDown()
})

const toReceiver = (user = 'amine') => ['--user', user, '--to', receiver.url]

/** Gives the code that the process would end with. */
async function trigger(...words: string[]) {
  process.exitCode = undefined
  const program = new Command('ishtirak')
  addOperatorCommands(program, CAPABILITIES, commandHost)
  const exit = (one: Command): void => {
    one.exitOverride()
    one.commands.forEach(exit)
  }
  exit(program)
  await program.parseAsync(['events', 'trigger', ...words], { from: 'user' })
  return process.exitCode ?? 0
}

it('sends every type, signed, to EVENTS_URL or to another address, and says what was answered', async () => {
  for (const type of EVENT_TYPES) expect(await trigger(type, ...toReceiver())).toBe(0)
  vi.stubEnv('EVENTS_URL', receiver.url)
  expect(await trigger('payment.paid', '--user', 'amine')).toBe(0)
  const verified = receiver.received.map(({ raw, headers }) => verifyEvent(raw, headers, SECRET))
  const events = await Promise.all(verified)
  expect(events.map(({ type }) => type)).toEqual([...EVENT_TYPES, 'payment.paid'])
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
  expect(new Set(events.map(({ data }) => data.user_id))).toEqual(new Set(['amine']))
  expect(printed).toContain(`sent to ${receiver.url} as ${events[0]?.id}`)
  expect(printed).toContain('answered 204')
})

it('ends with 1 where it was not accepted, and shows why; for a wrong type it names all', async () => {
  receiver.behave = () => (response) => response.writeHead(500).end('the body was read')
  expect(await trigger('payment.paid', ...toReceiver())).toBe(1)
  expect(printed).toContain('answered 500: the body was read')
  await receiver.goDown()
  await expect(trigger('payment.paid', ...toReceiver())).rejects.toThrow('no receiver answered')
  await expect(trigger('payment.payed', '--user', 'amine')).rejects.toThrow()
  for (const type of EVENT_TYPES) expect(printed).toContain(type)
})

it('is refused outside of the sandbox, without an address, and about nobody', async () => {
  vi.stubEnv('EVENTS_SECRETS', '')
  await expect(trigger('payment.paid', '--user', 'amine')).rejects.toThrow('no address to send to')
  vi.stubEnv('EVENTS_SECRETS', SECRET)
  await expect(trigger('payment.paid', ...toReceiver('a\nb'))).rejects.toThrow('--user')
  vi.stubEnv('CHARGILY_SECRET_KEY', 'test_sk_of_this_test_0000000000')
  vi.stubEnv('AUTH_JWT_SECRET', 'a secret of the tests that is longer than 32 bytes')
  await expect(trigger('payment.paid', ...toReceiver())).rejects.toThrow('only in the sandbox')
  expect(receiver.received).toEqual([])
})
