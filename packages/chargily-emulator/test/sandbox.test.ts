import { request } from 'node:http'
import path from 'node:path'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { type Emulator, EmulatorError, startEmulator } from '../src/emulator.js'
import {
  call,
  emulator,
  KEY,
  ManualClock,
  made,
  merchant,
  newCheckout,
  payNew,
  START_MS,
  sandbox,
  withMerchant,
} from './support.js'

test('faults are set, read and cleared', async () => {
  const emu = await emulator()
  const set = await sandbox(emu, 'POST', '/faults', { drop: true, delay: { seconds: 5, times: 2 } })
  expect(set.status).toBe(200)
  expect((await sandbox(emu, 'GET', '/faults')).body).toMatchObject({
    drop: [], // an empty object, as PHP writes it
    delay: { seconds: 5, times: 2 },
    duplicate: null,
  })
  await sandbox(emu, 'POST', '/faults', { drop: false })
  expect(emu.faults()).toMatchObject({ drop: null, delay: { seconds: 5 } })
  await sandbox(emu, 'DELETE', '/faults')
  expect(emu.faults().delay).toBeNull()
})

const WRONG_FAULTS = [
  [{ dorp: true }, 'There is no fault named dorp.'],
  [{ toString: {} }, 'There is no fault named toString.'],
  [{ drop: 1 }, 'drop must be an object, a boolean or null.'],
  [{ delay: { minutes: 1 } }, 'delay.minutes is not a setting.'],
  [{ delay: { seconds: -1 } }, 'delay.seconds must be an integer from 0 to 86400.'],
  [{ drop: { times: 0 } }, 'drop.times must be an integer from 1 to 1000000.'],
  [{ duplicate: { new_event_id: 1 } }, 'duplicate.new_event_id must be true or false.'],
  [{ bad_signature: { kind: 'odd' } }, 'bad_signature.kind must be one of wrong, missing, garbage.'],
] as const

test('a fault or a move of the clock that does not fit is refused with 422 and sets nothing', async () => {
  const emu = await emulator({ clock: new ManualClock() })
  for (const [wrong, message] of WRONG_FAULTS) {
    const answer = await sandbox(emu, 'POST', '/faults', { old_key: true, ...wrong })
    expect([answer.status, answer.body]).toMatchObject([422, { message }])
  }
  expect(emu.faults().old_key).toBeNull()
  for (const advance_seconds of [-1, '1', 1e12, null])
    expect((await sandbox(emu, 'POST', '/clock', { advance_seconds })).status).toBe(422)
  expect((await sandbox(emu, 'GET', '/clock')).body).toEqual({ now: '2023-11-14T22:13:20.000Z' })
})

test('deliveries are listed, shown with their bytes, and resent', async () => {
  const { shop, emu } = await withMerchant({ clock: new ManualClock() })
  const { id: checkout_id } = await newCheckout(emu)
  await emu.pay(checkout_id, 'paid')
  await emu.settled()
  const id = emu.deliveries()[0]?.id
  const attempts = [{ at: '2023-11-14T22:13:20.000Z', status: 200, error: null }]
  expect((await sandbox(emu, 'GET', '/deliveries')).body).toMatchObject({
    data: [{ id, type: 'checkout.paid', checkout_id, url: shop.url, state: 'delivered', attempts }],
  })
  const { body } = await sandbox(emu, 'GET', `/deliveries/${id}`)
  expect(body).toMatchObject({ body: shop.received[0]?.body })
  const resent = await sandbox(emu, 'POST', `/deliveries/${id}/resend`)
  expect(resent.body).toMatchObject({ attempts: [...attempts, { status: 200 }] })
  expect(shop.received).toHaveLength(2)
  expect((await sandbox(emu, 'POST', '/deliveries/01none/resend')).status).toBe(404)
  expect((await sandbox(emu, 'GET', '/checkouts')).body).toMatchObject({
    data: [{ id: checkout_id, status: 'paid', paid_at: START_MS / 1000 }],
  })
})

/** `fetch` refuses to set these headers; an attacker's browser sends them. */
function statusFor({ url }: Emulator, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/_sandbox/faults`, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

test('a foreign host name or another origin is refused', async () => {
  const emu = await emulator()
  const { host, port } = new URL(emu.url)
  const wrong = [{ host: `rebound.example:${port}` }, { host: `127.0.0.1.example:${port}` }]
  const foreign = [...wrong, ...['https://evil.example', 'null'].map((origin) => ({ host, origin }))]
  const own = ['localhost', '127.0.0.1', '[::1]'].map((name) => ({ host: `${name}:${port}` }))
  const statuses = await Promise.all([...foreign, ...own].map((headers) => statusFor(emu, headers)))
  expect(statuses).toEqual([403, 403, 403, 403, 200, 200, 200])
  expect(await statusFor(emu, { host, origin: `http://${host}` })).toBe(200)
})

test('keys without a mode, or none, fail the start, and the error names no key', async () => {
  await expect(startEmulator({ secretKeys: [] })).rejects.toThrow(EmulatorError)
  const error = await startEmulator({ secretKeys: [KEY, 'sk_mine'] }).catch((thrown: Error) => thrown)
  expect(error).toBeInstanceOf(EmulatorError)
  expect(String(error)).not.toContain('sk_mine')
})

describe('reset', () => {
  test('forgets checkouts, deliveries, faults, the offset of the clock and the state file', async () => {
    const stateFile = path.join(temporaryFolder(), 'state')
    const { shop, emu } = await withMerchant({ clock: { now: () => START_MS }, stateFile })
    const customer = made(await call(emu, 'POST', '/customers', { name: 'Amine' }))
    await emu.pay((await newCheckout(emu)).id, 'paid')
    await emu.advance(3600)
    const unpaid = await newCheckout(emu)
    emu.setFaults({ delay: { seconds: 5 } })
    await emu.pay((await newCheckout(emu)).id, 'paid')
    await emu.reset()

    expect([emu.checkouts(), emu.deliveries(), emu.faults().delay]).toEqual([[], [], null])
    expect((await call(emu, 'GET', `/customers/${customer.id}`)).status).toBe(404)
    expect((await sandbox(emu, 'GET', '/clock')).body).toEqual({ now: '2023-11-14T22:13:20.000Z' })
    await emu.advance(7200)
    expect(shop.received).toHaveLength(1)
    expect((await call(emu, 'GET', `/checkouts/${unpaid.id}`)).status).toBe(404)
    const { id } = await payNew(emu)
    expect(shop.received).toHaveLength(2)
    await emu.close()
    expect((await emulator({ stateFile })).checkouts()).toMatchObject([{ id }])
  })

  test('aborts a delivery that is under way, and an advance that waits for it', async () => {
    const shop = await merchant()
    shop.respondWith = 'silent'
    const emu = await emulator({ webhookEndpoint: shop.url, clock: new ManualClock() })
    await emu.pay((await newCheckout(emu)).id, 'paid')
    const advanced = emu.advance(3600)
    await expect.poll(() => shop.received).toHaveLength(1)
    await emu.reset()
    await advanced
    expect([emu.checkouts(), emu.deliveries()]).toEqual([[], []])
  })
})

test('an address in use fails the start with EADDRINUSE', async () => {
  const { url } = await emulator()
  const again = startEmulator({ secretKeys: [KEY], port: Number(new URL(url).port) })
  await expect(again).rejects.toThrow(/EADDRINUSE/)
})

describe('the page', () => {
  const post = (emu: Emulator, action: string, form: Record<string, string>) =>
    fetch(`${emu.url}/_sandbox/page/${action}`, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { origin: emu.url },
      redirect: 'manual',
    })

  test('shows clock, faults, deliveries and checkouts, without JavaScript', async () => {
    const emu = await emulator({ clock: new ManualClock() })
    const { id } = await newCheckout(emu)
    const page = await fetch(`${emu.url}/_sandbox`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const html = await page.text()
    const shown = ['It is 2023-11-14T22:13:20.000Z', 'bad_signature', `/test/checkouts/${id}/pay`]
    expect([...shown, 'No event yet'].filter((text) => !html.includes(text))).toEqual([])
    expect(['<script', KEY].filter((text) => html.includes(text))).toEqual([])
  })

  test('its buttons move the clock, switch faults, and resend', async () => {
    const shop = await merchant()
    const emu = await emulator({ clock: new ManualClock() })
    const { id } = await newCheckout(emu, { webhook_endpoint: shop.url })
    const moved = await post(emu, 'clock', { advance_seconds: '60' })
    expect([moved.status, moved.headers.get('location')]).toEqual([303, '/_sandbox'])
    expect((await sandbox(emu, 'GET', '/clock')).body).toEqual({ now: '2023-11-14T22:14:20.000Z' })
    expect((await post(emu, 'faults', { fault: 'wrong_mode', state: 'on' })).status).toBe(303)
    expect(emu.faults().wrong_mode).toEqual({})
    expect((await post(emu, 'faults', { fault: 'wrong_mode', state: 'off' })).status).toBe(303)
    expect(emu.faults().wrong_mode).toBeNull()
    await emu.pay(id, 'paid')
    const [delivery] = emu.deliveries()
    expect((await post(emu, 'resend', { delivery: delivery?.id ?? '' })).status).toBe(303)
    expect(shop.received).toHaveLength(2)
    expect(await (await fetch(`${emu.url}/_sandbox`)).text()).toContain('delivered')
  })
})
