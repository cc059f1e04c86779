// Requests that another site makes a signed-in operator's browser send. Its cookie goes along with a link, so
// no page may act, or write to the audit trail, for one; and no form counts that is not of this origin.
// Routes are read from the running app.

import { PAYMENT_VERBS, USER_VERBS } from '../../../../test/support/acts.js'
import { makeCodes, VOUCHER } from '../../../../test/support/codes.js'
import { type ConsoleVisit, enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { orderTransfer, sendProof } from '../../../../test/support/transfers.js'

const OTHER_SITES = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'same-site' },
]
const OTHER_ORIGIN = { origin: 'https://evil.example' }
const selectActs = sql(
  `select act from audit where act not in ('operator.sign_in', 'codes.create') order by act`,
)

const ENV = { TRANSFER_FILE, RATE_LIMIT_PER_MINUTE: '100000' }

describeWorld('a request of another site', { env: ENV }, ({ database, world }) => {
  let visit: ConsoleVisit
  /** The values of route parameters, by name. */
  let values: Readonly<Record<string, readonly string[]>>
  beforeEach(async () => {
    await world.as('user-1').buy()
    const { id } = await orderTransfer(world, 'user-2')
    await sendProof(world, 'user-2', id)
    visit = await enterConsole(world, ROLE_KEYS.owner)
    await enterConsole(world, ROLE_KEYS.support)
    const owner = operatorOf(world, ROLE_KEYS.owner)
    const sessions = (await owner.get('/sessions')).body.data
    const events = (await owner.get('/events')).body.data
    const { id: batch } = await makeCodes(owner, VOUCHER)
    values = {
      payment_id: [id],
      n: ['1'],
      user_id: ['user-1'],
      event_id: [events[0].id],
      session_id: [sessions.find(({ operator }: { operator: string }) => operator === 'support').id],
      month: ['2026-11'],
      span: ['2026-11'],
      day: ['2026-11-21'],
      batch_id: [batch],
    }
  })

  const addresses = (method: string): readonly string[] =>
    world.service.app.knownRoutes().flatMap((route) => {
      if (route.method !== method || !route.url.startsWith('/console')) return []
      const act = route.url.startsWith('/console/users') ? USER_VERBS : PAYMENT_VERBS
      return Object.entries({ ...values, act }).reduce<readonly string[]>(
        (paths, [name, list]) =>
          paths.flatMap((path) =>
            path.includes(`:${name}`) ? list.map((value) => path.replace(`:${name}`, value)) : [path],
          ),
        [route.url.startsWith('/console/exports') ? `${route.url}?month=2026-11` : route.url],
      )
    })
  const acts = async () => (await database().query(selectActs, [])).map(({ act }) => act)
  /** One after the other: all at once they would run into the deadline of an answer. */
  const openAll = async (headers: Readonly<Record<string, string>>) => {
    const failed: string[] = []
    for (const path of addresses('GET')) {
      const { status } = await world.call('GET', path, { headers: { ...headers, cookie: visit.cookie } })
      if (status >= 500) failed.push(path)
    }
    return failed
  }

  it('opens pages, and writes nothing to the audit trail', async () => {
    for (const headers of OTHER_SITES) {
      expect(await openAll(headers)).toEqual([])
      expect(await acts()).toEqual([])
    }
    expect(await openAll({ 'sec-fetch-site': 'none' })).toEqual([])
    // The files of codes, of a month, of its sales and of a person, and the lists.
    const files = Array.from({ length: 3 }, () => 'payments.export')
    const lists = ['trail.export', 'user.export', 'user.look', 'users.export']
    expect(await acts()).toEqual(['codes.export', 'payment.read_proof', ...files, ...lists])
  })

  it('is refused to every form, also with the right token', async () => {
    const form_token = /name="form_token" value="([^"]+)"/.exec((await visit.open()).text)?.[1] ?? ''
    const headers = { cookie: visit.cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const send = (path: string, from: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams({ form_token, key: ROLE_KEYS.owner }).toString()
      return world.call('POST', path, { body, headers: { ...headers, ...from } })
    }
    const paths = addresses('POST')
    expect(paths.length).toBeGreaterThan(PAYMENT_VERBS.length + USER_VERBS.length)
    for (const path of paths)
      for (const from of [...OTHER_SITES, OTHER_ORIGIN])
        expect([path, (await send(path, from)).status]).toEqual([path, 403])
    expect(new Set(await acts())).toEqual(new Set(['operator.refused']))
    for (const path of paths.filter((one) => !/sign-(in|out)$/.test(one))) {
      const { status } = await send(path, { 'sec-fetch-site': 'same-origin' })
      // Of this site it is read, and is not whole: what changes is shown, or what is wrong.
      expect([path, [200, 303, 404, 409, 422].includes(status)]).toEqual([path, true])
    }
  })
})
