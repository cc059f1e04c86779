// A service that lacks a capability: it builds, starts and sells by card, and shows no trace of what is not there.
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { CODE_ENV } from '../../../../test/support/codes.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { ROLE_KEYS, ROLES_ENV } from '../../../../test/support/roles.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { CAPABILITIES } from './capabilities.js'
import { commandHost } from './operator-client.js'
import { addAllOperatorCommands } from './operator-commands.js'

interface Trace {
  /** In the addresses of the documents. */
  readonly paths: RegExp
  /** In the names of commands. */
  readonly commands: RegExp
  /** On a page of the console, without its head. */
  readonly page?: readonly [path: string, trace: RegExp]
  /** Pages of its own in the console. */
  readonly own: readonly string[]
}

const TRACES: Readonly<Record<string, Trace>> = {
  codes: {
    paths: /^\/(codes|redeem|redemptions)\b|\/operator\/codes\b/,
    commands: /^codes /,
    own: ['/console/codes/bat_1/revoke'],
  },
  books: {
    paths: /\/(months|exports)\b/,
    commands: /^(months|journal|export)\b/,
    page: ['/console', /\/console\/months/],
    own: ['/console/months'],
  },
  compare: {
    paths: /\/(reconciliations|findings)\b/,
    commands: /^(reconcile|findings)\b/,
    page: ['/console/health', /id="comparison"|\/console\/reconciliations/],
    own: ['/console/reconciliations/start'],
  },
  backup: { paths: /\/backup\b/, commands: /^(backup|restore)\b/, own: [] },
}

const bodyOf = (html: string) => html.replace(/^.*<\/head>/s, '')

describeScenario('a service', ({ database }) => {
  describe.each(Object.entries(TRACES))('without %s', (absent, { paths, commands, page, own }) => {
    const capabilities = CAPABILITIES.filter(({ name }) => name !== absent)
    const start = (of: typeof capabilities) =>
      createWorld(database(), { env: { ...ROLES_ENV, ...CODE_ENV }, capabilities: of })

    it('sells by card', async () => {
      await using world = await start(capabilities)
      const { paymentId } = await world.as('user-1').buy()
      const headers = { authorization: `Bearer ${ROLE_KEYS.owner}` }
      const file = await world.call('GET', `/api/v1/operator/payments/${paymentId}`, { headers })
      expect(file.body).toMatchObject({ payment: { status: 'paid' } })
    })

    it('has nothing of it in the documents, in the commands and in the console', async () => {
      await using whole = await start(CAPABILITIES)
      expect((await documented(whole)).some((path) => paths.test(path))).toBe(true)
      expect(commandsOf(CAPABILITIES).some((usage) => commands.test(usage))).toBe(true)
      await using world = await start(capabilities)
      expect((await documented(world)).filter((path) => paths.test(path))).toEqual([])
      expect(commandsOf(capabilities).filter((usage) => commands.test(usage))).toEqual([])
      const there = await enterConsole(whole, ROLE_KEYS.owner)
      const visit = await enterConsole(world, ROLE_KEYS.owner)
      const [path, trace] = page ?? ['/console', /^$/]
      if (page) expect(bodyOf((await there.open(path)).text)).toMatch(trace)
      const { status, text } = await visit.open(path)
      expect([status, bodyOf(text)]).toEqual([200, expect.not.stringMatching(trace)])
      for (const address of own) expect((await visit.open(address)).status).toBe(404)
    })
  })
})

async function documented(world: World): Promise<readonly string[]> {
  const open = (await world.call('GET', '/openapi.json')).body
  const headers = { authorization: `Bearer ${ROLE_KEYS.owner}` }
  const operators = (await world.call('GET', '/openapi-operator.json', { headers })).body
  return [...Object.keys(open.paths), ...Object.keys(operators.paths)]
}

function commandsOf(capabilities: typeof CAPABILITIES): readonly string[] {
  const program = new Command('ishtirak')
  addAllOperatorCommands(program, capabilities, commandHost)
  return program.commands.flatMap((one) =>
    one.commands.length > 0 ? one.commands.map((below) => `${one.name()} ${below.name()}`) : [one.name()],
  )
}
