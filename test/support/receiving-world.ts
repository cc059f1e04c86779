// A world whose events arrive at a receiver.
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { drainDeliveries } from '../../packages/ishtirak/src/events/deliver-events.js'
import { Receiver } from './receiver.js'
import { createWorld, type World } from './world.js'

export interface ReceivingWorld {
  world: World
  receiver: Receiver
}

export async function openReceivingWorld(
  database: Database,
  env: Readonly<Record<string, string>> = {},
): Promise<ReceivingWorld> {
  const receiver = await Receiver.start()
  const world = await createWorld(database, { env: { ...receiver.variables, ...env } })
  return { world, receiver }
}

export async function closeReceivingWorld({ world, receiver }: ReceivingWorld): Promise<void> {
  await world.stop()
  await receiver.goDown()
}

/** Time passes, and what is due is delivered or not. */
export async function advanceAndDeliver(world: World, seconds: number): Promise<void> {
  await world.advance(seconds)
  await drainDeliveries(world.service.parts)
}
