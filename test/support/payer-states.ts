// One world that sells three plans by card, transfer and balance, with codes.

import type { Page } from 'playwright-core'
import { checkOrders } from '../../packages/ishtirak/src/balance/order.js'
import { setBuyer } from '../../packages/ishtirak/src/buyers/set-buyer.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { makeCodes, PERCENT, VOUCHER } from './codes.js'
import { ENTERED_COMPANY } from './fixtures.js'
import { operatorOf } from './operator.js'
import { payOtherwise } from './other-amount.js'
import { platformFor } from './platform.js'
import { enterPortal, SELLING_PLANS } from './portal.js'
import { setProfile } from './profile.js'
import { png } from './proof-files.js'
import { TRANSFER_FILE } from './setting-files.js'
import { startSmtpSink } from './smtp-sink.js'
import { checkoutIdOf, createWorld, tokenOf, type World } from './world.js'

const DAY = 86_400
const PAYMENTS = '/api/v1/billing/payments'
const BALANCE = '/api/v1/billing/balance'

export const PAYER_STATES = [
  ...['free', 'running', 'window', 'grace', 'expired', 'canceled', 'gap', 'over-limit', 'payments'],
  ...['plans', 'plans-year', 'balance', 'code-page', 'open-card', 'review', 'choosing-else'],
  ...['transfer-asked', 'transfer-slip', 'transfer-active', 'transfer-refused', 'transfer-late'],
  ...['balance-money', 'balance-order', 'balance-low', 'balance-offered', 'code-redeemed'],
  ...['summary', 'summary-transfer', 'summary-change', 'summary-change-transfer', 'summary-balance'],
  ...['summary-missing'],
  ...['code-worth', 'code-discount', 'code-wrong'],
  ...['after-paid', 'after-failed', 'after-canceled', 'after-expired', 'after-pending', 'after-review'],
  ...['after-refunded', 'after-top-up', 'link-over', 'no-session', 'front', 'sign-in', 'not-found'],
  ...['company-documents', 'company-proformas', 'company-details'],
  ...['sandbox', 'sandbox-pending', 'sandbox-paid', 'sandbox-failed'],
] as const

interface Place {
  /** Undefined: no session. */
  readonly userId?: string
  /** Or the address of a page of the sandbox. */
  readonly path?: string
  readonly does?: (page: Page) => Promise<void>
}

/** Runs 40 days. */
export async function createPayerStates(database: Database) {
  const mail = await startSmtpSink()
  const env = {
    ...{ PLANS_FILE: SELLING_PLANS, TRANSFER_FILE, BALANCE_MAX: '100000', SMTP_URL: mail.url },
    // All looks of all states come from one address within a minute of the world's clock.
    RATE_LIMIT_PER_MINUTE: '100000',
  }
  const world = await createWorld(database, { env, host: 'none', isNew: true })
  const places = await stage(world)
  return {
    [Symbol.asyncDispose]: async () => {
      await world.stop()
      await mail[Symbol.asyncDispose]()
    },
    show: async (page: Page, state: string, locale: string) => {
      const { userId, path = '/portal', does } = places[state] ?? {}
      if (userId !== undefined)
        await page.goto((await world.as(userId).post('/api/v1/billing/portal-sessions', {})).body.url)
      // The language is kept for the pages that follow.
      const address = path.startsWith('/') ? `${world.url}${path}` : path
      await page.goto(`${address}${path.includes('?') ? '&' : '?'}lang=${locale}`)
      await does?.(page)
    },
  }
}

async function stage(world: World): Promise<Readonly<Record<string, Place>>> {
  const operator = operatorOf(world)
  const starter = { plan: 'starter' }
  const pro = { plan: 'pro' }
  const ask = async (userId: string, wanted: object = pro): Promise<string> =>
    (await world.as(userId).post(PAYMENTS, { method: 'transfer', ...wanted })).body.id
  const sendSlip = async (userId: string, id: string) =>
    (await enterPortal(world, userId)).upload(`/portal/payments/${id}/proof`, png())
  const topUp = async (userId: string, amount: number): Promise<string> => {
    const { body } = await world.as(userId).post(`${BALANCE}/top-ups`, { amount })
    await world.emulator.pay(checkoutIdOf(body.checkout_url), 'paid')
    await world.emulator.settled()
    return body.id
  }
  const renew = async (userId: string, wanted: object) =>
    world.call('PUT', `${BALANCE}/renewal`, {
      body: wanted,
      headers: { authorization: `Bearer ${await tokenOf({ sub: userId })}` },
    })
  const codeOf = async (batch: object) => (await makeCodes(operator, batch)).code

  for (const userId of ['expired', 'gap', 'long'])
    await setProfile(world, userId, { name: 'Yasmine Benali', email: 'n.benali@example.dz' })
  await world.as('expired').buyWanted(pro)
  await world.as('gap').buyWanted(starter)
  const late = await ask('transfer-late')
  await world.advance(8 * DAY)
  await world.as('grace').buyWanted(pro)
  await world.advance(6 * DAY)
  for (const userId of ['window', 'balance-order', 'balance-low', 'balance-offered'])
    await world.as(userId).buyWanted(pro)
  await world.advance(21 * DAY)
  await world.as('gap').buyWanted(pro)
  await world.as('gap').buyWanted({ plan: 'business', months: 12 })
  await world.as('running').buyWanted({ ...pro, months: 6 })
  await world.advance(5 * DAY)

  await setProfile(world, 'after', { name: 'Yasmine Benali', email: 'n.benali@example.dz' })
  const paid = await world.as('after').buyWanted({ ...pro, months: 12 })
  const stopped = await world.as('canceled').buyWanted(pro)
  await operator.post(`/payments/${stopped.paymentId}/refund`, { why: 'asked for' })
  await world.as('over-limit').buyWanted(starter)
  const busy = platformFor(world, 'over-limit')
  await busy.report('storage_mb', { used: 30_000 })
  await busy.report('domains_per_project', { used: 12, project_id: 'vitrine-2026' })
  await platformFor(world, 'expired').report('projects', { used: 7 })
  await platformFor(world, 'expired').report('storage_mb', { used: 2048 })
  const runningUse = platformFor(world, 'running')
  await runningUse.report('projects', { used: 18 })
  await runningUse.consume('build_minutes', { amount: 1240, operation_id: 'builds' })

  const slip = await ask('transfer-slip')
  await sendSlip('transfer-slip', slip)
  await ask('transfer-asked', { ...pro, months: 12 })
  const active = await ask('transfer-active')
  await sendSlip('transfer-active', active)
  const received_at = new Date(world.clock.now()).toISOString().slice(0, 10)
  const came = { amount: 2400, received_at, payment_method: 'ccp', why: 'it came' }
  await operator.post(`/payments/${active}/approve`, came)
  const refused = await ask('transfer-refused')
  await operator.post(`/payments/${refused}/refuse`, { why: 'Nothing came to the account by 30 December.' })

  await setBuyer(world.service.parts, { userId: 'company' }, ENTERED_COMPANY)
  const { paymentId: invoiced } = await world.as('company').buyWanted(pro)
  await operator.post(`/payments/${invoiced}/correct-invoice`, { why: 'they moved' })
  await operator.post(`/payments/${invoiced}/refund`, { why: 'asked for' })
  const wish = { offer: '12 pro', po_number: 'BC118' }
  await (await enterPortal(world, 'company')).submit('/portal/proformas', wish)

  await topUp('balance-money', 5000)
  await topUp('balance-order', 9000)
  // The note is one word that is wider than a phone.
  const correction = { amount: 100, note: 'virement'.repeat(8), why: 'it came late' }
  await operator.post('/users/balance-order/correct', correction)
  await topUp('balance-low', 1000)
  await topUp('balance-offered', 3000)
  await renew('balance-offered', pro)
  const toppedUp = await topUp('after', 3000)

  const redeeming = await enterPortal(world, 'code-redeemed')
  const redeemed = await redeeming.submit('/portal/redeem', { code: await codeOf(VOUCHER) })
  const [voucher, percent] = [await codeOf(VOUCHER), await codeOf({ ...PERCENT, plan: 'pro', months: 6 })]

  const returned: Record<string, string> = { paid: paid.paymentId, refunded: stopped.paymentId }
  const checkouts: Record<string, string> = { paid: paid.checkoutUrl }
  for (const outcome of ['failed', 'canceled'] as const) {
    const { body } = await world.as('after').post(PAYMENTS, pro)
    await world.emulator.pay(checkoutIdOf(body.checkout_url), outcome)
    await world.emulator.settled()
    returned[outcome] = body.id
    checkouts[outcome] = body.checkout_url
  }
  returned.expired = (await world.as('after').post(PAYMENTS, pro)).body.id
  await world.advance(31 * 60)
  returned.pending = (await world.as('after').post(PAYMENTS, pro)).body.id
  checkouts.pending = (await world.as('open-card').post(PAYMENTS, { ...pro, months: 6 })).body.checkout_url
  returned.review = await payOtherwise(world, 'review', { charged: 2000 })
  // As a catalogue with another price does at the next start.
  const { catalogue } = world.service.parts
  const plans = catalogue.plans.map((plan) => ({ ...plan, price: plan.price + 300 }))
  await checkOrders({ ...world.service.parts, catalogue: { ...catalogue, plans } }, 100)
  for (const userId of ['balance-order', 'balance-low']) await renew(userId, pro)

  const choose = (offer: string, method: string) => ({
    path: `/portal/plans?term=${offer.split(' ')[0]}`,
    does: async (page: Page) => {
      await page.click(`button[name="offer"][value="${offer}"]`)
      if (method !== 'card') await page.click(`button[name="method"][value="${method}"]`)
    },
  })
  const type = (code: string) => ({
    userId: 'free',
    path: '/portal/code',
    does: async (page: Page) => {
      await page.locator('input[name=code]').fill(code)
      await page.click('form[action$="/portal/code"] button')
    },
  })
  const after = (state: string, userId = 'after') => ({ userId, path: `/portal/return/${returned[state]}` })
  const redeemedAt = new URL(redeemed.headers.get('location') ?? '', world.url).href
  return {
    ...Object.fromEntries(PAYER_STATES.map((state) => [state, { userId: state }])),
    plans: { userId: 'running', path: '/portal/plans' },
    'plans-year': { userId: 'window', path: '/portal/plans?term=12' },
    balance: { userId: 'balance-order', path: '/portal/balance' },
    'code-page': { userId: 'free', path: '/portal/code' },
    payments: { userId: 'after', path: '/portal/payments' },
    'choosing-else': { userId: 'transfer-asked', path: '/portal/plans' },
    'transfer-late': { userId: 'transfer-late', path: `/portal?transfer=${late}` },
    'code-redeemed': { userId: 'code-redeemed', path: redeemedAt.slice(world.url.length) },
    summary: { userId: 'free', ...choose('12 pro', 'card') },
    'summary-transfer': { userId: 'free', ...choose('1 business', 'transfer') },
    'summary-change': { userId: 'running', ...choose('now business', 'card') },
    'summary-change-transfer': { userId: 'running', ...choose('now business', 'transfer') },
    'summary-balance': { userId: 'balance-money', ...choose('1 pro', 'balance') },
    'summary-missing': { userId: 'balance-money', ...choose('12 pro', 'balance') },
    'code-worth': type(voucher),
    'code-discount': type(percent),
    'code-wrong': type('WRONG-CODE'),
    ...Object.fromEntries(
      ['paid', 'failed', 'canceled', 'expired', 'pending'].map((state) => [`after-${state}`, after(state)]),
    ),
    'after-review': after('review', 'review'),
    'after-refunded': after('refunded', 'canceled'),
    'after-top-up': { userId: 'after', path: `/portal/return/${toppedUp}` },
    'link-over': { path: '/portal/open?token=over' },
    'no-session': {},
    front: { path: '/' },
    'sign-in': { path: '/portal/sign-in?token=any' },
    'not-found': { path: '/portal/return/pay_00000000000000000000000000' },
    'company-documents': { userId: 'company', path: '/portal/payments' },
    'company-proformas': { userId: 'company', path: '/portal/proformas' },
    'company-details': { userId: 'company', path: '/portal/buyer' },
    sandbox: { path: `${world.emulator.url}/` },
    ...Object.fromEntries(
      ['pending', 'paid', 'failed'].map((state) => [`sandbox-${state}`, { path: checkouts[state] ?? '' }]),
    ),
  }
}
