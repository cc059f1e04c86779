// Users in every state that a page can show, in one world: active, in grace, expired, refunded, under review.

import { callBy, doAct } from '../../packages/ishtirak/src/acts/act-routes.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { refund } from '../../packages/ishtirak/src/ledger/refund.js'
import { ownerNamed } from './operator.js'
import { platformFor, WITH_PLATFORM } from './platform.js'
import { setProfile } from './profile.js'
import { createWorld, type World } from './world.js'

const DAY = 86_400

export type TestUsers = Awaited<ReturnType<typeof createUsers>>

/** Runs 36 days; at their end each user is in the state of their id. */
export async function createUsers(database: Database, env: Record<string, string> = {}) {
  const world = await createWorld(database, { env: { ...WITH_PLATFORM, ...env } })
  const payments: Record<string, string> = {}
  const buy = async (userId: string) => {
    payments[userId] = (await world.as(userId).buy()).paymentId
  }
  const know = (userId: string, name: string) =>
    setProfile(world, userId, { name, email: `${userId}@example.dz` })
  await know('expired', 'Yacine Hadj')
  await buy('expired')
  await buy('long')
  await world.advance(4 * DAY)
  await buy('past_due')
  await world.advance(6 * DAY)
  await buy('renewable')
  await world.advance(14 * DAY)
  await buy('long')
  await world.advance(12 * DAY)
  await know('active', 'Amina Boudiaf')
  await buy('active')
  await buy('canceled')
  const asked = callBy(ownerNamed('tests'), payments.canceled ?? '', { why: 'asked for' })
  await doAct(world.service.parts, refund, asked)
  await stageUsage(world)
  for (const outcome of ['failed', 'canceled'] as const) {
    const opened = await world.as(`card_${outcome}`).upgrade()
    await world.emulator.pay(opened.checkoutId, outcome)
    await world.emulator.settled()
    payments[`card_${outcome}`] = opened.paymentId
  }
  payments.late = (await world.as('late').upgrade()).paymentId
  await world.advance(31 * 60)
  // After the last look of the sweeps, which would find out that the provider's own list has the right
  // amount.
  world.emulator.setFaults({ wrong_amount: { times: 1 } })
  await buy('review')
  payments.pending = (await world.as('pending').upgrade()).paymentId
  return {
    world,
    /** One payment of each status, by user id. */
    payments: payments as Readonly<Record<string, string>>,
    /** A link into this user's portal. */
    linkFor: async (userId: string): Promise<string> => {
      const body = { return_path: '/settings/billing' }
      return (await world.as(userId).post('/api/v1/billing/portal-sessions', body)).body.url
    },
  }
}

async function stageUsage(world: World): Promise<void> {
  const active = platformFor(world, 'active')
  await active.report('projects', { used: 4 })
  await active.report('storage_mb', { used: 3000 })
  await active.report('domains_per_project', { used: 5, project_id: 'vitrine-2026' })
  await active.consume('deploys_per_day', { amount: 17, operation_id: 'deploy' })
  const expired = platformFor(world, 'expired')
  await expired.report('projects', { used: 7 })
  await expired.report('storage_mb', { used: 2048 })
}
