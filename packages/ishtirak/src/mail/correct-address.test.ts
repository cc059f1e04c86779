// An address that bounces is corrected: what failed goes out again, and the trail does not name the address.

import { beforeEach, expect, it } from 'vitest'
import { enterConsole, fieldsOfAct } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { sql } from '../../../../test/support/sql.js'

const failMails = sql(
  `update mails set outcome = 'refused: 550 no such user', due_at = null where user_id = 'user-1'`,
)
const selectMails = sql(
  `select kind, outcome, due_at is not null as is_due from mails where user_id = 'user-1'`,
)
const selectTrail = sql(
  `select a.act, a::text like '%example.dz%' as names_it from audit a where act = 'user.correct_address'`,
)

// No mail is sent: no job runs.

const OPTIONS = { env: { SMTP_URL: 'smtp://127.0.0.1:9' } }

describeWorld('the act that corrects an address', OPTIONS, ({ world, database }) => {
  beforeEach(async () => {
    await setProfile(world, 'user-1', { email: 'wrong@example.dz', name: 'Samira' })
    await world.as('user-1').buy()
    await database().query(failMails, [])
  })

  it('sends again what failed, once, and is in the trail without the address', async () => {
    const operator = operatorOf(world)
    const path = '/users/user-1/correct-address'
    const asked = { email: 'right@example.dz', why: 'she called', operation_id: 'ticket-1' }
    expect((await operator.get('/inbox')).body.data).toMatchObject([
      { kind: 'mail_failed', urgency: 'later', next_act: 'user.correct_address' },
    ])
    expect((await operator.post(path, { ...asked, email: 'right' })).status).toBe(422)
    const { status, body } = await operator.post(path, asked)
    expect([status, body.email]).toEqual([200, 'right@example.dz'])
    expect(await database().query(selectMails)).toMatchObject([
      { kind: 'receipt', outcome: null, is_due: true },
    ])
    expect((await operator.get('/inbox')).body.data).toEqual([])
    expect((await operator.post(path, asked)).status).toBe(200)
    expect((await operator.post(path, { ...asked, email: 'other@example.dz' })).status).toBe(409)
    expect(await database().query(selectTrail)).toEqual([{ act: 'user.correct_address', names_it: false }])
    expect((await operator.get('/users/user-1')).body.email).toBe('right@example.dz')
  })

  it('has a form that leads from the inbox, with the address in no URL', async () => {
    const visit = await enterConsole(world, OPERATOR_KEY)
    const path = '/console/users/user-1/correct-address'
    expect((await visit.open()).text).toContain(`href="${world.base}${path}"`)
    const { words, fields } = await visit.ask(path)
    expect(words).toContain('Mails not sent')
    const shown = await visit.submit(path, { ...fields, email: 'right@example.dz', why: 'she called' })
    expect([shown.status, wordsOf(shown.text)]).toEqual([422, expect.stringContaining('right@example.dz')])
    expect(shown.text).not.toMatch(/href="[^"]*right/)
    const done = await visit.submit(path, fieldsOfAct(shown.text))
    expect(done.headers.get('location')).toMatch(/\/console\/users\/user-1\?done=/)
    expect(await database().query(selectMails)).toMatchObject([{ is_due: true }])
  })
})
