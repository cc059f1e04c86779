// Codes as a capability: acts, calls, pages, discounts, and mail about granted months.
import type { Capability } from '../acts/capability.js'
import { type GrantedMailDeps, grantedMail } from '../ledger/granted-mail.js'
import { batchList, type CodesDeps, getCodeBatch, useList } from './batches.js'
import { createCodesAct, revokeCodes } from './code-acts.js'
import { codePageRoutes } from './code-pages.route.js'
import { type CodePagesDeps, codePages } from './portal-part.js'
import { codeCalls } from './redeem.call.js'
import type { RedeemDeps } from './redeem.js'
import { type CodeConfig, codeSettings } from './settings.js'
import { discountByCode } from './typed-code.js'

export const codes: Capability<CodePagesDeps & GrantedMailDeps & RedeemDeps & CodesDeps, CodeConfig> = {
  name: 'codes',
  events: ['subscription.granted'],
  settings: codeSettings,
  acts: [createCodesAct, revokeCodes],
  readings: [...batchList.readings, getCodeBatch, ...useList.readings],
  helpHeading: 'Money:',
  commandGroups: { codes: 'Make codes for vouchers and discounts, and see what is used' },
  calls: codeCalls,
  discount: discountByCode,
  console: codePageRoutes,
  sections: [{ key: 'codes', path: '/console/codes', order: 2.5 }],
  mails: (deps) => [grantedMail(deps, { about: 'red_', theme: 'granted_code' })],
  portal: codePages,
}
