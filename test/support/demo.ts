import { runDemo } from '../../packages/demo/src/demo.js'
import type { Sandbox } from '../../packages/ishtirak/src/main/sandbox.js'
import { EXAMPLE_PLANS } from '../../packages/ishtirak/src/runtime/plans-file.js'
import { EXAMPLE_TRANSFERS } from '../../packages/ishtirak/src/transfers/settings.js'
import type { World } from './world.js'

export function sandboxOf({ config, clock, emulator, service }: World): Sandbox {
  const { chargily } = config
  if (!chargily) throw new Error('the world has a key')
  const examples = { plans: EXAMPLE_PLANS, transfers: EXAMPLE_TRANSFERS }
  return { config: { ...config, ...examples, chargily }, clock, emulator, service }
}

export async function fillDemo(world: World, users: number, seed = 1): Promise<readonly string[]> {
  const months: string[] = []
  for await (const line of runDemo(sandboxOf(world), { users, seed })) {
    months.push(line)
    // They rest: at today's date they would end what is a year old.
    await world.service.runner.runAll()
  }
  return months
}
