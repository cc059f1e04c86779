import { makeCodes, VOUCHER } from '../../../../test/support/codes.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { platformFor } from '../../../../test/support/platform.js'
import { setProfile } from '../../../../test/support/profile.js'
import { png } from '../../../../test/support/proof-files.js'
import { TRANSFER_FILE, TRIAL_PLANS } from '../../../../test/support/setting-files.js'
import { readMessage, sinkOfTests } from '../../../../test/support/smtp-sink.js'

const sink = await sinkOfTests()
const ENV = { SMTP_URL: sink.url, TRANSFER_FILE, PLANS_FILE: TRIAL_PLANS }

describeWorld('mail about time without a payment', { env: ENV }, ({ world }) => {
  /** All mail that was sent, each as its subject and its text in one line. */
  const sent = (address?: string) =>
    sink.messages
      .filter(({ to }) => address === undefined || to[0] === address)
      .map(readMessage)
      .map(({ headers, parts }) => {
        const text = `${headers.subject} ${parts['text/plain']?.toString()}`
        return text.replace(/[\u2066-\u2069]/g, '').replace(/\s+/g, ' ')
      })
  const days = async (count: number) => world.advance(count * 86_400)

  it('of a code says that it was redeemed and what it gave', async () => {
    await setProfile(world, 'user-1', { email: 'user-1@example.dz', locale: 'en' })
    const { code } = await makeCodes(operatorOf(world), VOUCHER)
    await world.as('user-1').post('/api/v1/billing/redeem', { code })
    await world.service.runner.runAll()
    const [mail] = sent()
    expect(mail).toContain('Your code was redeemed: 1 month of Pro')
    expect(mail).toContain('Your code gave you 1 month of the Pro plan, until')
    expect(mail).not.toContain('We added')
  })

  it('of granted days says how many there are, and never calls them paid', async () => {
    await setProfile(world, 'user-1', { email: 'user-1@example.dz', locale: 'en' })
    await operatorOf(world).post('/users/user-1/grant', { plan: 'pro', days: 10, why: 'a trial' })
    for (const count of [4, 4, 2, 4]) await days(count)
    const mails = sent()
    expect(mails.join()).toContain('Time added to your subscription: 10 days')
    expect(mails.join()).toContain('10 days of the Pro plan')
    const ended = expect.stringContaining('Your subscription to the Pro plan ended on')
    expect(mails.slice(3)).toEqual([ended, ended])
    for (const mail of mails) expect(mail).not.toMatch(/paid time|is paid until/)
  })

  it('of a trial says what comes after it, and that of its end knows no grace', async () => {
    await setProfile(world, 'user-1', { email: 'user-1@example.dz', locale: 'en' })
    await platformFor(world, 'user-1').post('/trial', { plan: 'pro' })
    await world.service.runner.runAll()
    const [began] = sent()
    expect(began).toContain('Your Pro trial: 10 days')
    expect(began).toContain('the time you pay for starts when the trial ends')
    for (const count of [9, 1]) await days(count)
    expect(sent().at(-1)).toContain('Your trial of the Pro plan ended on')
    expect(sent().join()).not.toMatch(/grace|Everything keeps working/)
  })

  it('of a slip says from where its time counts, where there is old time', async () => {
    const counts = 'If you sent the slip in time, the new time starts where the old one ends.'
    const sendSlip = async (userId: string) => {
      await setProfile(world, userId, { email: `${userId}@example.dz`, locale: 'en' })
      const wanted = { plan: 'pro', method: 'transfer' }
      const { body } = await world.as(userId).post('/api/v1/billing/payments', wanted)
      await world.service.runner.runAll()
      await world.as(userId).put(`/api/v1/billing/payments/${body.id}/proof`, png())
      await world.service.runner.runAll()
      return sent(`${userId}@example.dz`).at(-1)
    }
    await world.as('old').buy()
    await days(28)
    expect(await sendSlip('old')).toContain(counts)
    expect(await sendSlip('new')).not.toContain(counts)
  })
})
