// A shop like that of `ishtirak demo`, for tests in a browser and for docs/pictures.
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { enterConsole } from './console.js'
import { fillDemo } from './demo.js'
import { operatorOf } from './operator.js'
import { SELLING_PLANS } from './portal.js'
import { ROLE_KEYS, ROLES_ENV } from './roles.js'
import { SELLER_FILE, TRANSFER_FILE } from './setting-files.js'
import { createWorld, type World } from './world.js'

export const SHOP_FILES = { PLANS_FILE: SELLING_PLANS, TRANSFER_FILE, SELLER_FILE }

const ENV = { ...ROLES_ENV, ...SHOP_FILES }

export async function openShop(
  database: Database,
  users: number,
  env: Record<string, string> = {},
): Promise<World> {
  const world = await createWorld(database, { env: { ...ENV, ...env }, host: 'none', isNew: true })
  await fillDemo(world, users)
  const operator = operatorOf(world, ROLE_KEYS.owner)
  let { body } = await operator.post('/reconciliations/start', {
    since: '2026-10-01',
    why: 'the weekly reconciliation',
  })
  while (body.reconciliation.finished_at === null) {
    await world.advance(30)
    body = (await operator.post(`/reconciliations/${body.reconciliation.id}/continue`)).body
  }
  return world
}

export type Waiting = { payment_id: string; user_id: string; email: string }

export async function waitingIn(world: World, kind: string): Promise<readonly Waiting[]> {
  return (await operatorOf(world, ROLE_KEYS.owner).get(`/inbox?limit=100&kind=${kind}`)).body.data
}

export async function cookieOf(world: World, key: string = ROLE_KEYS.owner) {
  const { cookie } = await enterConsole(world, key)
  const [name = '', value = ''] = cookie.split('=')
  return { name, value, url: world.url, sameSite: 'Lax' as const, httpOnly: true }
}
