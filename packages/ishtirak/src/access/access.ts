// What the operators' way in brings to the service.
import type { Capability } from '../acts/capability.js'
import { HOUR, MINUTE } from '../core/instant.js'
import type { Database } from '../database/database.js'
import type { Clock } from '../runtime/clock.js'
import type { OldSecretWatch } from './old-secrets.js'
import { forgetOperatorSessions } from './sessions.js'
import './words.js'

export interface AccessDeps {
  readonly database: Database
  readonly clock: Clock
  readonly oldSecrets: OldSecretWatch
}

export const access: Capability<AccessDeps> = {
  name: 'access',
  jobs: (deps) => [
    {
      name: 'forget-operator-sessions',
      stage: 'tidy',
      everyMs: HOUR,
      run: () => forgetOperatorSessions(deps),
    },
    // `doctor` says when an old secret was last used.
    {
      name: 'save-secret-uses',
      stage: 'tidy',
      everyMs: MINUTE,
      run: () => deps.oldSecrets.save(deps.database, 'hourly'),
    },
  ],
}
