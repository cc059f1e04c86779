import { type ProfileChange, saveProfile } from '../../packages/ishtirak/src/ledger/users.sql.js'
import type { World } from './world.js'

export function setProfile(
  { service, clock }: Pick<World, 'service' | 'clock'>,
  userId: string,
  change: ProfileChange,
): Promise<void> {
  return saveProfile(service.parts.database, userId, change, clock.now())
}
