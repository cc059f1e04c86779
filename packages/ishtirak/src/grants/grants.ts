// What time that operators give brings to the service.
import type { Capability } from '../acts/capability.js'
import { type GrantedMailDeps, grantedMail } from '../ledger/granted-mail.js'

export const grants: Capability<GrantedMailDeps> = {
  name: 'grants',
  mails: (deps) => [grantedMail(deps, { about: 'grt_', theme: 'granted' })],
}
