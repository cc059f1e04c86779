import { Receiver, SECRET } from '../../../../test/support/receiver.js'
import { createEventSender, type EventSenderOptions } from './event-sender.js'

describe('the sender of events', () => {
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await Receiver.start()
  })
  beforeEach(() => {
    receiver.received.length = 0
    receiver.behave = () => 204
  })
  afterAll(() => receiver.goDown())

  const send = (options: Partial<EventSenderOptions> = {}) =>
    createEventSender({ url: receiver.url, secrets: [SECRET], reach: 'any', ...options }).send({
      id: 'evt_1',
      body: '{"type":"payment.paid"}',
    })
  const at = (host: string) => `http://${host}:${receiver.port}/events`

  it('gives the status of a complete answer, whatever it is', async () => {
    for (const status of [200, 204, 302, 404, 410, 503]) {
      receiver.behave = () => status
      expect(await send()).toMatchObject({ kind: 'answer', status })
    }
  })

  it('goes where only this machine or its network leads in the sandbox alone', async () => {
    const hosts = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', '0.0.0.0']
    const detail = expect.stringContaining('is not a public address')
    for (const host of hosts)
      expect(await send({ url: at(host), reach: 'public' }), host).toMatchObject({ kind: 'failure', detail })
    expect(receiver.received).toEqual([])
    for (const host of ['127.0.0.1', 'localhost'])
      expect(await send({ url: at(host), reach: 'loopback' })).toMatchObject({ kind: 'answer', status: 204 })
  })

  it('does not wait longer than its limit', async () => {
    receiver.behave = () => () => undefined
    expect(await send({ timeoutMs: 50 })).toEqual({ kind: 'failure', detail: 'no answer within 50 ms' })
  })
})
