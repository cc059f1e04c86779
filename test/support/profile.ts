import { saveProfile } from '../../packages/ishtirak/src/ledger/users.sql.js'
import type { UserUpdate } from '../../packages/ishtirak/src/limits/schemas.js'
import type { World } from './world.js'

export function setProfile(
  { service, clock }: Pick<World, 'service' | 'clock'>,
  userId: string,
  change: UserUpdate,
): Promise<void> {
  const fields = Object.entries(change) as [keyof UserUpdate, string | null][]
  return saveProfile(service.parts.database, userId, new Map(fields), clock.now())
}
