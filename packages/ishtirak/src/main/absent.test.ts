// A service that lacks a capability: it builds, starts and sells by card, and shows no trace of what is not
// there.
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { CODE_ENV } from '../../../../test/support/codes.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS, ROLES_ENV } from '../../../../test/support/roles.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { pathOfAct } from '../acts/act-console.js'
import { actsOf } from '../acts/capability.js'
import { CAPABILITIES } from './capabilities.js'
import { misspelt, readConfig } from './config.js'
import { commandHost } from './operator-client.js'
import { addAllOperatorCommands } from './operator-commands.js'

const TRANSFER_FILE = new URL('../../../../docs/transfer.example.json', import.meta.url).pathname

interface Traces {
  /** Of the operator's API: ids of operations, and schemas. */
  readonly document: RegExp
  /** Of the commands. */
  readonly help: RegExp
  /** Of the pages of a payment, of its user, of the operators and of health. */
  readonly pages?: RegExp
}

/** By what it is told where it is there. */
const TRACES: Readonly<Record<string, Traces>> = {
  transfers: {
    document: /"((preview)?([Aa]pprove|[Rr]efuse)Payment|downloadProof|TransferState|transfer_open)"/,
    help: /transfer(?! to )|payments (approve|refuse|proof)/i,
  },
  desk: {
    document: /"((preview)?(r|R)ecordPayment|TakenAtDesk)"/,
    help: /payments record/,
    pages: /Record a payment at the desk/,
  },
  grants: {
    document: /"(grantDays|previewGrantDays|GrantRequest)"/,
    help: /grant <user>/,
    pages: /Grant days/,
  },
  codes: {
    document: /"((preview)?(c|C)reateCodes|listCodeBatches|getCodeBatch|(preview)?(r|R)evokeCodes|NewCodes)"/,
    help: /^codes /m,
  },
  books: { document: /"(getMonth|getJournal|exportAccounts)"/, help: /^(months|journal|export) /m },
  compare: {
    document: /"((start|continue|list)Reconciliations?|closeFinding|ReconcileRequest|finding)"/,
    help: /^(reconcile|findings) /m,
    pages: /Last comparison with the provider/,
  },
  backup: { document: /"downloadBackup"/, help: /^(backup|restore) /m },
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
async function pagesOf(world: World, paymentId: string): Promise<string> {
  const visit = await enterConsole(world, ROLE_KEYS.owner)
  const paths = [`/payments/${paymentId}`, '/users/user-1', '/operators', '/health', '']
  const texts: string[] = []
  for (const path of paths) {
    const { status, text } = await visit.open(`/console${path}`)
    expect([path, status]).toEqual([path, 200])
    texts.push(wordsOf(text.replace(/^.*<\/head>/s, '')))
  }
  return texts.join('\n')
}

describeScenario('a service', ({ database }) => {
  const start = (absent?: string) =>
    createWorld(database(), {
      env: { ...ROLES_ENV, ...CODE_ENV, TRANSFER_FILE },
      capabilities: CAPABILITIES.filter(({ name }) => name !== absent),
    })
  const documentOf = async (world: World) => {
    const headers = { authorization: `Bearer ${ROLE_KEYS.owner}` }
    return (await world.call('GET', '/openapi-operator.json', { headers })).text
  }

  describe.each(Object.entries(TRACES))('without %s', (name, { document, help, pages }) => {
    const others = CAPABILITIES.filter((one) => one.name !== name)

    it('sells by card, and neither its API nor its console has a trace of it', async () => {
      const seen = async (world: World) => {
        const { paymentId } = await world.as('user-1').buy()
        const { body } = await world.as('user-1').get('/api/v1/billing/status')
        expect([body.plan, body.status]).toEqual(['pro', 'active'])
        return { document: await documentOf(world), pages: await pagesOf(world, paymentId) }
      }
      await using world = await start(name)
      const without = await seen(world)
      expect(without.document).not.toMatch(document)
      if (pages) expect(without.pages).not.toMatch(pages)
      const visit = await enterConsole(world, ROLE_KEYS.owner)
      const acts = actsOf<never>(CAPABILITIES.filter((one) => one.name === name))
      for (const act of acts)
        expect([act.name, (await visit.open(pathOfAct({ base: '' }, act, 'user-1'))).status]).toEqual([
          act.name,
          404,
        ])
    })

    it('has none of its commands', () => {
      expect(helpOf(CAPABILITIES)).toMatch(help)
      expect(helpOf(others)).not.toMatch(help)
    })
  })

  it.each([
    ['transfers', 'TRANSFER_FILE'],
    ['transfers', 'PROOF_DAYS'],
    ['codes', 'CODE_KEYS'],
  ])('without %s does not read %s, and takes no other name for it', (absent, variable) => {
    const others = CAPABILITIES.filter(({ name }) => name !== absent)
    const [wrong, near] = [{ [variable]: '\0' }, { [`${variable}S`]: 'x' }]
    expect(() => readConfig(wrong)).toThrow(`${variable} must be`)
    expect(readConfig(wrong, others)).toEqual(readConfig({}, others))
    expect(misspelt(near)).toEqual([{ name: `${variable}S`, nearest: variable }])
    expect(misspelt(near, others)).toEqual([])
  })

  it.each([
    ['transfers', ['chargily', 'cash', 'cheque']],
    ['desk', ['chargily', 'transfer']],
  ])('without %s is paid by %j', async (name, methods) => {
    await using world = await start(name)
    expect(world.service.parts.methods.all.map((method) => method.name)).toEqual(methods)
  })

  it('with all of them shows each', async () => {
    await using world = await start()
    const { paymentId } = await world.as('user-1').buy()
    const [document, pages] = [await documentOf(world), await pagesOf(world, paymentId)]
    for (const [name, traces] of Object.entries(TRACES)) {
      expect([name, traces.document.test(document)]).toEqual([name, true])
      if (traces.pages) expect(pages).toMatch(traces.pages)
    }
  })
})
