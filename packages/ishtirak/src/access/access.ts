// The capability for operators' access: keys, the issuer, sessions, roles, and the acts on them.
import type { Capability } from '../acts/capability.js'
import { HOUR } from '../core/instant.js'
import type { AccessPageDeps } from './issuer.js'
import {
  blockOperator,
  createOperatorAct,
  newOperatorKey,
  operatorList,
  setOperatorRole,
  unblockOperator,
} from './operator-acts.js'
import { revokeOperatorSession, sessionList } from './session-acts.js'
import { deleteOldSessions } from './sessions.sql.js'
import { type AccessConfig, accessSettings } from './settings.js'
import { signInRoutes } from './sign-in.route.js'

export const access: Capability<AccessPageDeps, AccessConfig> = {
  name: 'access',
  settings: accessSettings,
  console: signInRoutes,
  acts: [
    createOperatorAct,
    blockOperator,
    unblockOperator,
    setOperatorRole,
    newOperatorKey,
    revokeOperatorSession,
  ],
  readings: [...operatorList.readings, ...sessionList.readings],
  commandGroups: {
    operators: 'Make and block operators, end their sessions, and read what they did',
  },
  jobs: (deps) => [
    {
      name: 'forget-operator-sessions',
      stage: 'tidy',
      everyMs: HOUR,
      run: () => deleteOldSessions(deps.database, deps.clock.now()),
    },
  ],
}
