import { saveProfile } from '../../packages/ishtirak/src/ledger/users.sql.js'
import type { UserUpdate } from '../../packages/ishtirak/src/limits/schemas.js'
import type { World } from './world.js'

export function setProfile(
  { service, clock }: Pick<World, 'service' | 'clock'>,
  userId: string,
  change: UserUpdate,
): Promise<void> {
  return saveProfile(service.parts.database, userId, change, clock.now())
}
