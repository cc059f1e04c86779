// packages/client/src/api.ts is made here: the client imports nothing of the service, and has its types.
import { readFileSync } from 'node:fs'
import { CALLS } from '../../packages/client/src/api.js'
import type * as events from '../../packages/client/src/events.js'
import type * as client from '../../packages/client/src/index.js'
import type { Capability } from '../../packages/ishtirak/src/acts/capability.js'
import type { HostEvent, PlatformEvent } from '../../packages/ishtirak/src/core/event.js'
import type * as service from '../../packages/ishtirak/src/limits/schemas.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'
import { clientSource } from '../../scripts/client-source.js'
import { emptyDatabase } from '../support/databases.js'
import { createWorld } from '../support/world.js'

it('the client has the types of the document and a method for each call', async () => {
  await using world = await createWorld(await emptyDatabase('pglite'), { env: { BALANCE_MAX: '9000' } })
  const { body } = await world.call('GET', '/openapi.json')
  const capabilities: readonly Capability<never>[] = CAPABILITIES
  const calls = capabilities.flatMap((one) => one.calls ?? [])
  const readings = capabilities.flatMap((one) => one.platformReadings ?? [])
  await expect(await clientSource(body, calls, readings)).toMatchFileSnapshot(
    '../../packages/client/src/api.ts',
  )
})

it('the clients in PHP and Python have the same calls, by the same names and addresses', () => {
  const sent = Object.entries(CALLS).map(([name, call]) => {
    return [name, call.method, `/%s${call.path.replace(/:\w+/g, '%s')}`]
  })
  const read = (file: string) => readFileSync(`clients/${file}`, 'utf8')
  const php = read('php/src/UserCalls.php').split('public function ').slice(1)
  const python = read('python/ishtirak/calls.py')
    .split(/def (?!_)/)
    .slice(1)
  const camelCased = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  const callsOf = (methods: readonly string[]) =>
    methods.map((method) => {
      const [, name = ''] = /^(\w+)\(/.exec(method) ?? []
      const [, verb, address = ''] = /ask\(\s*['"](\w+)['"], ['"]([^'"]*)/.exec(method) ?? []
      return [camelCased(name), verb, address.replaceAll('{}', '%s')]
    })
  expect(callsOf(php).toSorted()).toEqual(sent.toSorted())
  expect(callsOf(python).toSorted()).toEqual(sent.toSorted())
  const methods = ['plans', 'offers', 'listUsers', 'listPayments', 'listEvents', 'as']
  const others = {
    'php/src/Client.php': /public function (?!__)(\w+)/g,
    'python/ishtirak/client.py': /def ([a-z]\w+)\(\s*self/g,
  }
  for (const [file, name] of Object.entries(others))
    expect(
      [...read(file).matchAll(name)].map(([, own = '']) => camelCased(own).replace('Person', '')),
    ).toEqual(methods)
})

it('docs/curl.md has each call with its full path', () => {
  const page = readFileSync('docs/curl.md', 'utf8')
  const asked = [...page.matchAll(/^(?:api|send) (.*)$/gm)].map(([, line = '']) => {
    const [, address = ''] = /users\/user-1([^\s"?]*)/.exec(line) ?? []
    const [, method = line.includes(' -d ') ? 'POST' : 'GET'] = /-X (\w+)/.exec(line) ?? []
    return `${method} ${address.replace('limits/projects', 'limits/:limit').replace(/\$\w+/g, ':')}`
  })
  const calls = Object.values(CALLS).map(({ method, path }) => {
    return `${method} ${path.replace(/:(?!limit)\w+/g, ':')}`
  })
  expect(calls.filter((call) => !asked.includes(call))).toEqual([])
})

it('its types fit a service of any catalogue, and what a host gets (checked by the compiler)', () => {
  expectTypeOf<client.ConsumeRequest>().toEqualTypeOf<service.ConsumeRequest>()
  expectTypeOf<client.ReleaseRequest>().toEqualTypeOf<service.ReleaseRequest>()
  expectTypeOf<client.UsageReport>().toEqualTypeOf<service.UsageReport>()
  expectTypeOf<Omit<client.PlatformUser, Limits>>().toEqualTypeOf<Omit<service.PlatformUser, Limits>>()
  expectTypeOf<client.PlatformUser[Limits]>().toExtend<service.PlatformUser[Limits]>()
  expectTypeOf<Omit<client.Overview, Limits>>().toEqualTypeOf<Omit<service.PlatformOverview, Limits>>()
  // The client's words are wider, so that it can receive a status that it does not know yet.
  expectTypeOf<PlatformEvent['data']>().toExtend<client.EventData>()
  expectTypeOf<MembersOf<client.EventData>>().toEqualTypeOf<MembersOf<PlatformEvent['data']>>()
  expectTypeOf<HostEvent>().toExtend<client.BillingEvent>()
})

it('its calls and handlers take what the API takes and nothing else (checked by the compiler)', () => {
  const neverCalled = async ({ createClient }: typeof client, { eventHandler }: typeof events) => {
    const options = { url: 'http://127.0.0.1:9', apiKey: 'key', whenUnreachable: 'open' } as const
    const billing = createClient(options)
    const answer = await billing.consume('user-1', 'deploys_per_day', { operation_id: 'd-1' })
    expectTypeOf(answer.source === 'policy' ? 0 : answer.remaining).toBeNumber()
    // @ts-expect-error there is no such limit
    billing.consume('user-1', 'deploys', { operation_id: 'd-1' })
    // @ts-expect-error an operation needs its id
    billing.consume('user-1', 'projects', {})
    const own = createClient<'build_minutes'>(options)
    own.consume('user-1', 'build_minutes', { operation_id: 'd-1', scope_id: 'eu-1' })
    eventHandler({ secrets: [], on: { 'subscription.granted': ({ data }) => data.grant.months } })
    // @ts-expect-error a payment has no grant
    eventHandler({ secrets: [], on: { 'payment.paid': ({ data }) => data.grant.months } })
  }
  expect(neverCalled).toBeTypeOf('function')
})

/** Of these the client names the four limits of the catalogue without PLANS_FILE, beside any others. */
type Limits = 'limits' | 'usage' | 'over_limit'

/** The names of the members, and of the members of each, but for the limits. */
type MembersOf<Data> = { -readonly [Name in keyof Data]-?: keyof Required<Data>[Name] }
