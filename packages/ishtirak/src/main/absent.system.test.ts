import { Command } from 'commander'
import { enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { pathOfAct } from '../acts/act-links.js'
import { previewIdOf } from '../acts/act-routes.js'
import { actsOf, type Capability } from '../acts/capability.js'
import { addOperatorCommands } from '../acts/commands.js'
import { CAPABILITIES } from './capabilities.js'
import { commandHost } from './command-host.js'
import { misspelt, readConfig } from './config.js'

type Capabilities = readonly (typeof CAPABILITIES)[number][]

const ALL_METHODS = ['chargily', 'transfer', 'cash', 'cheque', 'balance']
/** Each capability that a service can do without, and the methods of payment that go with it. */
const WITH_METHODS: Readonly<Record<string, readonly string[]>> = {
  ...{
    proformas: [],
    grants: [],
    codes: [],
    books: [],
    compare: [],
    backup: [],
    privacy: [],
    seals: [],
    'bank-statements': [],
  },
  ...{ transfers: ['transfer'], desk: ['cash', 'cheque'], balance: ['balance'] },
}
/** Bank statements are laid beside transfers, and proformas ordered by one: without it there is neither. */
const BY_TRANSFER = ['bank-statements', 'proformas']
const without = (absent: string) =>
  CAPABILITIES.filter(
    ({ name }) => name !== absent && !(absent === 'transfers' && BY_TRANSFER.includes(name)),
  )

type Brings = Pick<Capability, 'name' | 'acts' | 'readings' | 'inbox' | 'events' | 'notices'>

const namesOf = ({ acts = [], readings = [], inbox = [], ...sent }: Brings): readonly string[] => [
  ...acts.flatMap((act) => [act.operationId, previewIdOf(act)]),
  ...readings.map(({ operationId }) => operationId),
  ...[...inbox.map(({ name }) => name), ...(sent.events ?? []), ...Object.keys(sent.notices ?? {})],
]
const ofOne = (absent: string) => CAPABILITIES.filter(({ name }) => name === absent)
function ownNamesOf(name: string): readonly string[] {
  const others = CAPABILITIES.filter((one) => one.name !== name).flatMap(namesOf)
  return ofOne(name)
    .flatMap(namesOf)
    .filter((one) => !others.includes(one))
}

describeScenario('a service', ({ database }) => {
  const start = (capabilities: Capabilities) =>
    createWorld(database(), { env: { TRANSFER_FILE }, capabilities })
  const documentsOf = async (world: World) => {
    const headers = { authorization: `Bearer ${ROLE_KEYS.owner}` }
    const { text } = await world.call('GET', '/openapi-operator.json', { headers })
    return { forAll: (await world.call('GET', '/openapi.json')).text, forOperators: text }
  }

  it('that lacks one sells by card, and neither its API nor its console has a trace of it', async () => {
    for (const [name, methods] of Object.entries(WITH_METHODS)) {
      await using world = await start(without(name))
      const user = `without-${name}`
      const { paymentId } = await world.as(user).buy()
      const { body } = await world.as(user).get('/api/v1/billing/status')
      expect([name, body.plan, body.status]).toEqual([name, 'pro', 'active'])
      const { forAll, forOperators } = await documentsOf(world)
      // Operators read events that were written before.
      const isTold = (one: string) =>
        forAll.includes(`"${one}"`) || (!one.includes('.') && forOperators.includes(`"${one}"`))
      expect([name, ownNamesOf(name).filter(isTold)]).toEqual([name, []])
      const visit = await enterConsole(world, ROLE_KEYS.owner)
      const paths = [`/payments/${paymentId}`, `/users/${user}`, '/operators', '/health', '']
      const pages = await Promise.all(paths.map((path) => visit.open(`/console${path}`)))
      expect(pages.map(({ status }) => status)).toEqual(paths.map(() => 200))
      for (const act of actsOf<never>(ofOne(name))) {
        const path = pathOfAct({ base: '' }, act, act.on.name === 'payment' ? paymentId : user)
        expect([act.name, (await visit.open(path)).status]).toEqual([act.name, 404])
        expect(pages.filter(({ text }) => text.includes(`${path}"`))).toEqual([])
      }
      const left = world.service.parts.methods.all.map((method) => method.name)
      expect([name, left]).toEqual([name, ALL_METHODS.filter((method) => !methods.includes(method))])
    }
  })

  it('that has all of them names each', async () => {
    await using world = await start(CAPABILITIES)
    const { forAll, forOperators } = await documentsOf(world)
    const names = Object.keys(WITH_METHODS).flatMap(ownNamesOf)
    expect(names.filter((one) => !`${forAll}${forOperators}`.includes(`"${one}"`))).toEqual([])
  })
})

it('the commands have none of a capability that is absent', () => {
  const commandsOf = (capabilities: Capabilities) => {
    const program = new Command('ishtirak')
    addOperatorCommands(program, capabilities, commandHost)
    return program.commands.map((one) => one.name())
  }
  const OWN = { 'bank-statements': 'bank-statements', codes: 'codes', books: 'export', backup: 'restore' }
  const MORE = { seals: 'books', reconciliation: 'reconcile', balance: 'balance' }
  for (const [name, command] of Object.entries({ ...OWN, ...MORE })) {
    expect(commandsOf(CAPABILITIES)).toContain(command)
    expect(commandsOf(without(name))).not.toContain(command)
  }
})

it('a setting of a capability that is absent is not read, nor another name taken for it', () => {
  const SETTINGS = { TRANSFER_FILE: 'transfers', CODE_KEYS: 'codes', BALANCE_MAX: 'balance' }
  for (const [variable, absent] of Object.entries(SETTINGS)) {
    const others = CAPABILITIES.filter(({ name }) => name !== absent)
    const [wrong, near] = [{ [variable]: '\0' }, { [`${variable}S`]: 'x' }]
    expect(() => readConfig(wrong)).toThrow(`${variable} must be`)
    expect(readConfig(wrong, others)).toEqual(readConfig({}, others))
    expect(misspelt(near)).toEqual([{ name: `${variable}S`, nearest: variable }])
    expect(misspelt(near, others)).toEqual([])
  }
})
