// A service that lacks a capability: it builds, starts and sells by card, and shows no trace of what is not
// there.
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { CODE_ENV } from '../../../../test/support/codes.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS, ROLES_ENV } from '../../../../test/support/roles.js'
import { TRANSFER_FILE } from '../../../../test/support/transfer-file.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { pathOfAct } from '../acts/act-console.js'
import { previewIdOf } from '../acts/act-routes.js'
import { actsOf, type Capability } from '../acts/capability.js'
import { CAPABILITIES } from './capabilities.js'
import { commandHost } from './command-host.js'
import { misspelt, readConfig } from './config.js'
import { examine } from './doctor.js'
import { addAllOperatorCommands } from './operator-commands.js'

interface Traces {
  /** Of the commands, where it has some. */
  readonly help?: RegExp
  /** Of the pages of a payment, of its user, of the operators and of health. */
  readonly pages?: RegExp
  /** What it adds to the file of a payment. */
  readonly part?: string
}

/** By what it is told where it is there, beside what its object has names for. */
const TRACES: Readonly<Record<string, Traces>> = {
  transfers: {
    help: /transfer(?! to )|payments (approve|refuse|proof)/i,
    pages: /waited for 7 days; two approvals/,
    part: 'TransferState',
  },
  'bank-statements': { help: /^statements /m, pages: /Bank statements/ },
  proformas: {},
  desk: { help: /payments record/, pages: /Record a payment at the desk/ },
  grants: { help: /grant \[user\]/, pages: /Grant days/ },
  codes: { help: /^codes /m, pages: /\bCodes\b/ },
  books: { help: /^(months|journal|export) /m },
  compare: { help: /^(reconcile|findings) /m, pages: /Last comparison with the provider/ },
  backup: { help: /^(backup|restore) /m },
  balance: { help: /^balance /m, pages: /Write down what balances have bought/, part: 'BalanceFile' },
}

/** Bank statements are laid beside transfers, and proformas ordered by one: without it there is neither. */
const BY_TRANSFER = ['bank-statements', 'proformas']
const isLeft = (absent: string | undefined, { name }: { readonly name: string }) =>
  name !== absent && !(absent === 'transfers' && BY_TRANSFER.includes(name))

type Brings = Pick<Capability, 'name' | 'acts' | 'readings' | 'inbox' | 'events'>

/** Under which names the documents have it: operations, what is asked for, kinds of the inbox, events. */
const namesOf = ({ acts = [], readings = [], inbox = [], events = [] }: Brings): readonly string[] => [
  ...acts.flatMap((act) => [act.operationId, previewIdOf(act), Object(act.body).title ?? []].flat()),
  ...readings.map(({ operationId }) => operationId),
  ...[...inbox.map(({ name }) => name), ...events],
]

/** Those that no other has. */
function ownNamesOf(name: string): readonly string[] {
  const others = CAPABILITIES.filter((one) => one.name !== name).flatMap(namesOf)
  const own = CAPABILITIES.filter((one) => one.name === name).flatMap(namesOf)
  return own.filter((one) => !others.includes(one))
}

/** `transfers` as `transfer`, `transfers`, and in the name of a schema `Transfer`. */
function wordOf(name: string): RegExp {
  const stem = name.replace(/s$/, '')
  const capital = `${stem.charAt(0).toUpperCase()}${stem.slice(1)}`
  return new RegExp(`((?<![a-z])${stem}|${capital})s?(?![a-z])`)
}

/**
 * Where the public document has the word all the same, for it is not the capability's alone. Payments and
 * paid time are the ledger's, and stay readable. Days that are granted and months of a code are one event.
 * What is typed in to take something off a price is the checkout's; a problem has a code of its own.
 */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  balance: [
    ...['/api/v1/billing/payments', '/api/v1/platform/users/{user_id}/payments'],
    ...['EventPayment', 'Payment'],
  ],
  transfers: ['Transfer', 'Payment', 'EventPayment'],
  grants: ['HeldTime', 'EventGrant', 'GrantEventData', 'SubscriptionGrantedEvent'],
  codes: [
    ...['/api/v1/billing/payments', '/api/v1/billing/quote'],
    ...['/api/v1/platform/users/{user_id}/payments', '/api/v1/platform/users/{user_id}/quote'],
    ...['PaymentRequest', 'Quote', 'Problem'],
    ...['subscription.granted', 'HeldTime', 'EventGrant'],
  ],
}

/** The paths, events and schemas that say the word. */
function saying(word: RegExp, document: string): readonly string[] {
  const { paths, webhooks, components } = JSON.parse(document)
  const all = Object.entries({ ...paths, ...webhooks, ...components.schemas })
  return all.filter((one) => word.test(JSON.stringify(one))).map(([name]) => name)
}

/** What all commands say of themselves. */
function helpOf(capabilities: readonly (typeof CAPABILITIES)[number][]): string {
  const program = new Command('ishtirak')
  addAllOperatorCommands(program, capabilities, commandHost)
  const usages = ({ commands }: Command, before = ''): string[] =>
    commands.flatMap((one) => {
      const name = `${before}${one.name()} ${one.usage().replace('[options] ', '')}`
      return [`${name} ${one.description()}`, ...usages(one, `${before}${one.name()} `)]
    })
  return usages(program).join('\n')
}

/** Without what all pages have: their sheet. */
async function pagesOf(world: World, user: string, paymentId: string): Promise<string> {
  const visit = await enterConsole(world, ROLE_KEYS.owner)
  const paths = [`/payments/${paymentId}`, `/users/${user}`, '/operators', '/health', '']
  const texts: string[] = []
  for (const path of paths) {
    const { status, text } = await visit.open(`/console${path}`)
    expect([path, status]).toEqual([path, 200])
    texts.push(wordsOf(text.replace(/^.*<\/head>/s, '')))
  }
  return texts.join('\n')
}

/** By which is paid without one that brings some. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  transfers: ['chargily', 'cash', 'cheque', 'balance'],
  desk: ['chargily', 'transfer', 'balance'],
  balance: ['chargily', 'transfer', 'cash', 'cheque'],
}
const ALL_METHODS = ['chargily', 'transfer', 'cash', 'cheque', 'balance']

describeScenario('a service', ({ database }) => {
  const start = (absent?: string) =>
    createWorld(database(), {
      env: { ...ROLES_ENV, ...CODE_ENV, TRANSFER_FILE },
      capabilities: CAPABILITIES.filter((one) => isLeft(absent, one)),
    })
  const documentOf = async (world: World) => {
    const headers = { authorization: `Bearer ${ROLE_KEYS.owner}` }
    return (await world.call('GET', '/openapi-operator.json', { headers })).text
  }

  it('that lacks one sells by card, and neither its API nor its console has a trace of it', async () => {
    for (const [name, { pages, part = [] }] of Object.entries(TRACES)) {
      await using world = await start(name)
      const user = `without-${name}`
      const { paymentId } = await world.as(user).buy()
      const { body } = await world.as(user).get('/api/v1/billing/status')
      expect([name, body.plan, body.status]).toEqual([name, 'pro', 'active'])
      const publicDocument = (await world.call('GET', '/openapi.json')).text
      const document = await documentOf(world)
      const names = [ownNamesOf(name), part].flat()
      // Operators read events that were written before.
      const told = names.filter(
        (one) => publicDocument.includes(`"${one}"`) || (!one.includes('.') && document.includes(`"${one}"`)),
      )
      const said = saying(wordOf(name), publicDocument).toSorted()
      expect([name, told, said]).toEqual([name, [], (SHARED[name] ?? []).toSorted()])
      if (pages) expect(await pagesOf(world, user, paymentId)).not.toMatch(pages)
      const visit = await enterConsole(world, ROLE_KEYS.owner)
      for (const act of actsOf<never>(CAPABILITIES.filter((one) => one.name === name))) {
        const { status } = await visit.open(pathOfAct({ base: '' }, act, user))
        expect([act.name, status]).toEqual([act.name, 404])
      }
      const methods = world.service.parts.methods.all.map((method) => method.name)
      expect([name, methods]).toEqual([name, METHODS[name] ?? ALL_METHODS])
    }
  })

  it('that has all of them shows each', async () => {
    await using world = await start()
    const { paymentId } = await world.as('user-1').buy()
    const documents = `${await documentOf(world)}${(await world.call('GET', '/openapi.json')).text}`
    const pages = await pagesOf(world, 'user-1', paymentId)
    for (const [name, { part = [], pages: trace = /./ }] of Object.entries(TRACES)) {
      expect([ownNamesOf(name), part].flat().filter((one) => !documents.includes(`"${one}"`))).toEqual([])
      expect(pages).toMatch(trace)
    }
  })
})

it('the commands have none of a capability that is absent', () => {
  for (const [name, { help }] of Object.entries(TRACES)) {
    if (!help) continue
    expect(helpOf(CAPABILITIES)).toMatch(help)
    expect(helpOf(CAPABILITIES.filter((one) => isLeft(name, one)))).not.toMatch(help)
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

it('without transfers says nothing of them to its doctor', async () => {
  const subjectsFor = async (capabilities: Parameters<typeof examine>[1]) => {
    const subjects: string[] = []
    for await (const { subject } of examine({ DATABASE_URL: 'postgres://127.0.0.1:9/x' }, capabilities))
      subjects.push(subject)
    return subjects
  }
  const others = await subjectsFor(CAPABILITIES.filter(({ name }) => name !== 'transfers'))
  expect(others).toContain('receipts')
  expect(others).not.toContain('transfers')
  expect(await subjectsFor(CAPABILITIES)).toContain('transfers')
})
