// An operator corrects an address that bounces, and the failed mail is sent again.
import { Type } from 'typebox'
import { act, change, reason } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { EMAIL_MAX, EMAIL_PATTERN, isEmail, typedEmail } from '../core/email.js'
import { wrongField } from '../core/error.js'
import { request } from '../http/schemas.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { loadUser } from '../ledger/load.js'
import { type SubjectDeps, USER } from '../ledger/subjects.js'
import type { Typed } from '../pages/field.js'
import { countFailedMails, saveAddress } from './mail.sql.js'

const AddressSchema = request('Address', {
  email: Type.String({
    pattern: EMAIL_PATTERN,
    maxLength: EMAIL_MAX,
    description: 'The user’s e-mail address',
    examples: ['samira@example.dz'],
  }),
  why: reason,
})

export const correctAddress = act<SubjectDeps & ChangeDeps>()({
  name: 'user.correct_address',
  roles: ['support'],
  on: USER,
  operationId: 'correctAddress',
  summary: 'Correct a user’s e-mail address, and send again what could not be sent in two weeks',
  description:
    'It stands until the platform names another. What is outdated by now is not sent. The trail does ' +
    'not name it.',
  input: AddressSchema,
  secret: ['email'],
  fields: async (pages, view, { id }) => {
    const { email } = await loadUser(pages, id)
    return [{ name: 'email', label: view.say('email'), value: email ?? '', type: 'text', read: readEmail }]
  },
  plan: async (deps, { id: userId, input, by }) => {
    const { version, email: before } = await loadUser(deps, userId)
    const { email } = input
    const now = deps.clock.now()
    const failed = await countFailedMails(deps.database, userId, now)
    const isNew = email !== before
    return {
      version,
      changes: [change.text('email', before, email), change.count('mailsAgain', failed, 0)],
      save: async () => {
        if (!isNew && failed === 0) return
        const after = { mails_failed: 0, address_changed: isNew }
        const audit = auditEntry(deps.ids, by, { before: { mails_failed: failed }, after, now })
        await saveAddress(deps.database, { userId, email, audit }, now)
      },
    }
  },
})

function readEmail(typed: Typed) {
  const email = typedEmail(typed.email ?? '')
  if (!isEmail(email)) throw wrongField('email', email === '' ? 'required' : 'wrong_format')
  return { email }
}
