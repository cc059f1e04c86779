import { HOUR, SECOND } from '../../packages/ishtirak/src/core/instant.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { OPERATOR_KEY, operatorOf } from '../support/operator.js'
import { platformFor } from '../support/platform.js'
import { enterPortal } from '../support/portal.js'
import { anEvent } from '../support/provider-events.js'
import { ROLE_KEYS } from '../support/roles.js'
import { PLANS_FILE, TRANSFER_FILE } from '../support/setting-files.js'
import { createWorld, tokenOf, type World } from '../support/world.js'
import type { Targets } from './draw.js'
import { operatorSessions, readSendings } from './pages.js'

export type Stage = { world: World; targets: Targets }

const USERS = ['paid', 'open', 'review', 'new', 'اسم', 'a/b?c']

export async function openStage(database: Database): Promise<Stage> {
  const files = { PLANS_FILE, TRANSFER_FILE }
  // Mail is queued and not sent: no job runs.
  const SMTP_URL = 'smtp://127.0.0.1:9'
  const env = { SMTP_URL, ...files, BALANCE_MAX: '50000', RATE_LIMIT_PER_MINUTE: '1000000' }
  // A world of its own, since the command runs outside Vitest, which knows the file of a world that is kept.
  const world = await createWorld(database, { env, withoutJobs: true, host: 'listener', isNew: true })
  await world.as('paid').buy()
  await world.as('open').upgrade()
  world.emulator.setFaults({ wrong_amount: { times: 1 } })
  await world.as('review').buy()
  for (const userId of ['paid', 'open', 'new'])
    await world.as(userId).post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
  world.emulator.clearFaults()
  await platformFor(world, 'paid').consume('projects', { operation_id: 'first' })
  const operator = operatorOf(world)
  await operator.post('/users/paid/grant', { days: 3, operation_id: 'first', why: 'to begin with' })
  const made = { count: 3, uses: 1_000, uses_per_user: 1_000, why: 'to begin with' }
  const vouchers = (await operator.post('/codes/create', { ...made, kind: 'months', plan: 'pro', months: 1 }))
    .body
  const discounts = (await operator.post('/codes/create', { ...made, kind: 'percent', percent: 15 })).body
  await world.as('paid').post('/api/v1/billing/redeem', { code: vouchers.codes[0] })
  const [redeemed] = (await world.as('paid').get('/api/v1/billing/redemptions')).body.data
  // Checkouts expire before anything is compared, because the provider sends an event for each.
  await world.advance(HOUR / SECOND)
  const reconciliation = await operator.post('/reconciliations/start', { since: '2026-11-01' })
  return {
    world,
    targets: await targetsOf(world, {
      reconciliation_id: [reconciliation.body.reconciliation.id],
      batch_id: [vouchers.batch_id, discounts.batch_id],
      code: [...vouchers.codes, ...discounts.codes],
      redemption_id: [redeemed.id],
    }),
  }
}

async function targetsOf(world: World, made: Targets['values']): Promise<Targets> {
  const operator = operatorOf(world)
  const payments = (await operator.get('/payments')).body.data
  const events = (await operator.get('/events')).body.data
  const routes = world.service.app.knownRoutes()
  const values = {
    payment_id: payments.map(({ id }: { id: string }) => id),
    event_id: events.map(({ id }: { id: string }) => id),
    ...made,
    user_id: USERS,
    limit: ['projects', 'deploys_per_day', 'domains_per_project', 'storage_mb', '1', '100'],
    plan: ['pro', 'team', 'free'],
    method: ['card', 'transfer', 'cash', 'cheque'],
    payment_method: ['ccp', 'baridimob', 'bank_transfer'],
    received_at: ['2026-11-21', '2026-11-22T08:00:00Z'],
    reference: ['2026/0042', 'BNA 1234567'],
    amount: [2000, 2020],
    since: ['2026-11-01', '2026-11-20T00:00:00Z'],
    month: ['2026-11', '2026-12'],
    email: ['amina@example.dz'],
    locale: ['ar', 'fr', 'en'],
    lang: ['ar', 'fr', 'en'],
    project_id: ['shop', 'blog'],
    return_path: ['/settings'],
    key: [OPERATOR_KEY, ROLE_KEYS.viewer],
    q: [...USERS, '2900 2026-11-21', 'TEST-2026-1'],
  }
  return {
    ...(await openSessions(world, routes, values)),
    routes,
    values,
    tokens: await Promise.all(USERS.map((sub) => tokenOf({ sub }))),
    wrongTokens: await Promise.all([
      tokenOf({ sub: 'paid' }, 'another secret, just as long as the one of the tests'),
      tokenOf({ sub: 'paid', exp: 1 }),
      tokenOf({}),
      tokenOf({ sub: 'a\0b' }),
      'eyJhbGciOiJub25lIn0.eyJzdWIiOiJwYWlkIn0.',
      'x'.repeat(9_000),
    ]),
    events: world.emulator
      .checkouts()
      .flatMap(({ id }) => [anEvent(world, id, 'paid'), anEvent(world, id, 'failed')]),
  }
}

/** There is a checkout to pay again, whatever the time and the calls before have made of the last one. */
export async function openAnew(world: World): Promise<void> {
  await world.as('open').post('/api/v1/billing/upgrade', { plan: 'pro' })
}

/** Repeated during a run, because some calls end a session, and a form acts once. */
export async function openSessions(
  world: World,
  routes: Targets['routes'],
  values: Targets['values'],
): Promise<Pick<Targets, 'sessions' | 'operatorSessions' | 'sendings'>> {
  const sessions = await Promise.all(USERS.slice(0, 4).map((userId) => sessionOf(world, userId)))
  const operators = await operatorSessions(world)
  const [visit] = operators
  return {
    sessions,
    operatorSessions: operators,
    sendings: await readSendings(world, routes, { values, visit }),
  }
}

async function sessionOf(world: World, userId: string) {
  const { headers, formToken } = await enterPortal(world, userId)
  return { cookie: headers.cookie, formToken }
}
