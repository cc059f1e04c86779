// An address that bounces is corrected, and what could not be sent to it goes out again.
import { Type } from 'typebox'
import { act, actTexts } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { reason } from '../acts/reason.js'
import { EMAIL_MAX, EMAIL_PATTERN, isEmail, typedEmail } from '../core/email.js'
import { wrongField } from '../core/error.js'
import { plainName } from '../core/name.js'
import { request } from '../http/schemas.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { loadUser } from '../ledger/load.js'
import { type SubjectDeps, USER } from '../ledger/subjects.js'
import { countFailedMails, saveAddress } from './mail.sql.js'
import { mailWords } from './words.js'

const AddressSchema = request('Address', {
  email: Type.String({
    pattern: EMAIL_PATTERN,
    maxLength: EMAIL_MAX,
    description: 'The user’s e-mail address',
    examples: ['samira@example.dz'],
  }),
  why: reason,
})

export const correctAddress = act<SubjectDeps & ChangeDeps>().decides({
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
  each: ['email'],
  texts: actTexts(mailWords, 'correct_address'),
  load: async (deps, { id }) => {
    const user = await loadUser(deps, id)
    return { ...user, failed: await countFailedMails(deps.database, id, deps.clock.now()) }
  },
  decide: ({ email, failed }, { input }) => (input.email === email && failed === 0 ? null : input.email),
  save: async (deps, { id: userId, by }, { facts: { email, failed }, decision, now }) => {
    const before = { mails_failed: failed }
    const facts = { before, after: { mails_failed: 0, address_changed: decision !== email }, now }
    const audit = auditEntry(deps.ids, { ...by, act: 'user.correct_address' }, facts)
    await saveAddress(deps.database, { userId, email: decision, audit }, now)
    return 'saved'
  },
  preview: ({ facts: { email, failed }, decision }) => ({
    changes: [
      { what: 'email', before: email ?? 'addressUnknown', after: decision ?? email ?? 'addressUnknown' },
      { what: 'mailsAgain', before: String(failed), after: '0' },
    ],
    detail: { email, failed },
  }),
  form: {
    fields: async (pages, view, id) => {
      const { email } = await loadUser(pages, id)
      return [{ name: 'email', label: view.say('email'), value: email ?? '', type: 'text' }]
    },
    // An address stands in no URL: nothing is asked first, and what follows is the same for each.
    asks: null,
    assumes: { email: 'a@b' },
    read: (_pages, typed) => {
      const email = typedEmail(typed.email ?? '')
      if (!isEmail(email)) throw wrongField('email', email === '' ? 'required' : 'wrong_format')
      return { email }
    },
    inWords: (_pages, { say }, { detail: { email, failed } }) => ({
      changes: [{ name: say('mailsAgain'), before: String(failed), after: '0' }],
      facts: [[say('addressNow'), email === null ? null : plainName(email)]],
    }),
  },
})
