// What the portal says of a transfer: why it was refused, what is wrong with a file, and what can be done
// once it has expired.
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'
import { jpeg, pdf, png } from '../../../../test/support/proof-files.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { orderTransfer } from '../../../../test/support/transfers.js'

const DAY = 86_400
// As long as those of browsers: shorter ones are not read.
const BOUNDARY = 'x'.repeat(27)
const FORM = `multipart/form-data; boundary=${BOUNDARY}`
const partOf = (head: string, body: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${body}`

describeWorld('the portal and transfers', { env: { TRANSFER_FILE } }, ({ world }) => {
  const ask = (userId: string) => orderTransfer(world, userId)
  const refuse = (id: string) => operatorOf(world).post(`/payments/${id}/refuse`, { why: 'nothing <came>' })
  const approve = async (id: string) => {
    const received_at = new Date(world.clock.now()).toISOString().slice(0, 10)
    const approval = { amount: 2000, received_at, payment_method: 'ccp', why: 'it came' }
    expect((await operatorOf(world).post(`/payments/${id}/approve`, approval)).status).toBe(200)
  }
  const proofsOf = async (id: string) => (await operatorOf(world).payment(id)).transfer.proofs
  const addressOf = (id: string) => `/portal/payments/${id}/proof`

  it('say why the last one was refused, until another is asked for or it is approved after all', async () => {
    for (const then of ['asked', 'approved']) {
      const { id, transfer } = await ask(then)
      const portal = await enterPortal(world, then)
      const words = async () => wordsOf((await portal.open()).text)
      expect(await words()).not.toContain('&lt;came>')
      await refuse(id)
      const shown = await words()
      const reference = transfer.reference.replaceAll('-', '\u2011')
      for (const text of [reference, 'was not accepted', 'Reason: nothing &lt;came>', 'contact'])
        expect(shown).toContain(text)
      world.clock.advance(1000)
      if (then === 'approved') await approve(id)
      else await ask(then)
      const after = await words()
      for (const text of ['&lt;came>', 'was not accepted']) expect(after).not.toContain(text)
    }
  })

  it('say what is wrong with a file, without a name of the API', async () => {
    const { id } = await ask('wrong')
    const portal = await enterPortal(world, 'wrong')
    const wrong = [
      [Buffer.from('<script>'), 422, 'neither a JPEG or PNG picture nor a PDF'],
      [pdf().subarray(0, 100), 422, 'incomplete or damaged'],
      [jpeg({ width: 20_000, height: 20_000 }), 422, 'too many pixels'],
      [png({ extra: 8 << 20 }), 413, 'larger than 8 MB'],
    ] as const
    for (const [file, status, words] of wrong) {
      const page = await portal.upload(addressOf(id), file)
      expect([page.status, wordsOf(page.text)]).toEqual([status, expect.stringContaining(words)])
      expect(wordsOf(page.text)).toMatch(/^(?!.*reason).*File not accepted/s)
    }
  })

  it('take the first file of a form', async () => {
    const { id } = await ask('first')
    const portal = await enterPortal(world, 'first')
    const files = [1, 2, 3, 4].map((extra) => png({ extra }))
    expect((await portal.upload(addressOf(id), ...files)).status).toBe(303)
    expect(await proofsOf(id)).toMatchObject([{ bytes: png({ extra: 1 }).length }])
  })

  it('refuse a form that breaks off in its file, read or not, and the process goes on', async () => {
    const { id } = await ask('broken')
    const portal = await enterPortal(world, 'broken')
    const send = async (token: string) => {
      const file = partOf('name="file"; filename="a.pdf"', '%PDF-1.7')
      const body = `${partOf('name="form_token"', `${token}\r\n`)}${file}`
      return (await portal.post(addressOf(id), body, FORM)).status
    }
    const uncaught: unknown[] = []
    const note = (error: unknown) => void uncaught.push(error)
    process.on('uncaughtExceptionMonitor', note)
    const ours = portal.formToken
    expect(await Promise.all([send(ours), send(ours), send('not ours')])).toEqual([400, 400, 403])
    expect((await world.call('GET', '/healthz')).status).toBe(200)
    process.off('uncaughtExceptionMonitor', note)
    expect(uncaught).toEqual([])
  })

  it('take no form that is not of the session, or that cannot be read, and no fourth file', async () => {
    const { id } = await ask('owner')
    const portal = await enterPortal(world, 'owner')
    const stolen = await enterPortal(world, 'thief')
    expect((await stolen.upload(addressOf(id), png())).status).toBe(404)
    const made = ['name="form_token"', 'name="file"; filename="slip.png"'].map((name) =>
      partOf(name, 'made up\r\n'),
    )
    const madeUp = `${made.join('')}--${BOUNDARY}--\r\n`
    expect((await portal.post(addressOf(id), madeUp, FORM)).status).toBe(403)
    const cut = `--${BOUNDARY}\r\ncontent-disposition: form-data; na`
    expect((await portal.post(addressOf(id), cut, FORM)).status).toBe(400)
    expect((await operatorOf(world).payment(id)).transfer).toMatchObject({ proof_at: null, proofs: [] })
    for (const extra of [1, 2, 3])
      expect((await portal.upload(addressOf(id), png({ extra }))).status).toBe(303)
    const fourth = await portal.upload(addressOf(id), png({ extra: 4 }))
    expect([fourth.status, wordsOf(fourth.text)]).toEqual([409, expect.stringContaining('three files')])
    expect((await portal.open()).text).not.toContain('enctype')
  })

  it('name both ways to pay, which of two open payments is which, and the own transfer alone', async () => {
    const { id: foreign } = await ask('foreign')
    const portal = await enterPortal(world, 'own')
    const words = async () => wordsOf((await portal.open('/portal/payments')).text)
    const order = await portal.submit('/portal/choice', { offer: '1 pro', method: 'card' })
    expect(wordsOf(order.text)).toContain('Pay another way Transfer (CCP')
    const { transfer } = await ask('own')
    await world.as('own').upgrade()
    const after = await words()
    for (const way of ['by transfer', 'by card']) expect(after).toContain(` Pro · ${way} `)
    // The digits stand in groups of four, with nothing between them where they are copied.
    const rip = transfer.accounts[0].rip.match(/.{4}/g).join('</span><span>')
    const { text } = await portal.open()
    expect(text).toContain(`<span>${rip}</span>`)
    // One kind of account is shown at a time, each with a code that a phone can scan.
    expect(
      [...text.matchAll(/name="kind" value="(\w+)"( checked)?/g)].map(([, ...one]) => one.join('')),
    ).toEqual(['ccp checked', 'baridimob', 'bank'])
    expect(text.match(/<svg class="qr"/g)).toHaveLength(3)
    const page = await portal.open(`/portal?transfer=${foreign}`)
    expect([page.status, wordsOf(page.text)]).toEqual([200, expect.stringContaining(transfer.reference)])
  })

  it('once the slip is sent, say so, fold the accounts and invite to no second payment', async () => {
    await world.as('user-1').buy()
    await world.advance(32 * DAY)
    const { id, transfer } = await ask('user-1')
    const portal = await enterPortal(world, 'user-1')
    const before = (await portal.open()).text
    // While it is open, one quiet link leads to another way to pay.
    expect(before).not.toMatch(/\/portal\/(upgrade|transfer|choice)"/)
    expect(before.match(/href="[\w/]*\/portal\/plans"/g)).toHaveLength(1)
    expect(wordsOf(before)).not.toContain('Slip being checked')
    await world.as('user-1').upgrade()
    await portal.upload(addressOf(id), png())
    const { text } = await portal.open()
    const fold = 'Show the accounts again'
    for (const part of ['Slip being checked', fold, 'the new time starts where the old one ends'])
      expect(wordsOf(text)).toContain(part)
    const behind = text.slice(text.indexOf(fold) - 30)
    const [whole = '', folded = ''] = /<details><summary>[^<]*<\/summary>(.*?)<\/details>/s.exec(behind) ?? []
    const { number } = transfer.accounts[0]
    expect([folded, text.replace(whole, '')].map((part) => wordsOf(part).includes(number))).toEqual([
      true,
      false,
    ])
    expect(text).not.toMatch(/\/portal\/(upgrade|transfer|choice|plans)"|checkouts\//)
    const plans = wordsOf((await portal.open('/portal/plans')).text)
    expect(plans).toContain('We have received your slip and are checking it.')
    // Once an operator has decided, all is as before.
    await refuse(id)
    expect(wordsOf((await portal.open()).text)).not.toContain('Slip being checked')
  })

  it('take the slip of an expired one, which is asked for from the history', async () => {
    const { id, transfer } = await ask('user-1')
    const first = await enterPortal(world, 'user-1')
    expect((await first.open()).text).not.toContain(`/portal?transfer=${id}`)
    await world.advance(8 * DAY)
    const address = `${world.base}/portal?transfer=${id}`
    const again = await enterPortal(world, 'user-1')
    const history = async () => (await again.open('/portal/payments')).text
    expect(await history()).toContain(`href="${address}#late-transfer"`)
    expect(wordsOf(await history())).toContain('I have sent the money')
    const late = async () => (await again.open(`/portal?transfer=${id}`)).text
    const shown = await late()
    for (const text of [transfer.reference, 'it still counts']) expect(wordsOf(shown)).toContain(text)
    // Nothing further is to be sent for it, and another one can be asked for.
    expect(wordsOf(shown)).not.toContain(transfer.accounts[0]?.number)
    expect(shown).toContain('/portal/choice"')
    const sent = await again.upload(addressOf(id), png())
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `${address}#received`])
    expect(await late()).toContain('role="status" class="notice" id="received"')
    expect(await proofsOf(id)).toHaveLength(1)
    // The reason why nothing can be bought stands on top, and no second slip is asked for.
    const page = (await again.open()).text
    const words = wordsOf(page)
    expect(words).toMatch(/Your transfer We have received your slip .* Your plan Free.*Slip being checked/)
    expect(words).not.toContain('send us the slip')
    expect(page).not.toMatch(/\/portal\/(upgrade|choice)"/)
    await refuse(id)
    expect((await again.open()).text).not.toContain('id="received"')
    await approve(id)
    expect(await late()).not.toContain('enctype')
    expect((await again.open()).text).not.toContain(address)
  })

  it('follow a first order from its request to its time, each step with when it was', async () => {
    const { id } = await ask('new')
    const portal = await enterPortal(world, 'new')
    const stepsOf = (html: string) =>
      [
        ...(/<ol class="steps">.*?<\/ol>/s.exec(html)?.[0] ?? '').matchAll(
          /<li(?: class="(done)")?(?: aria-current="(step)")?>/g,
        ),
      ].map((one) => one[1] ?? one[2])
    const before = (await portal.open()).text
    expect(wordsOf(before)).toContain('Usually within 1 day of the slip')
    expect(stepsOf(before)).toEqual(['done', 'step', undefined, undefined])
    expect((await portal.upload(addressOf(id), png())).status).toBe(303)
    const { text } = await portal.open()
    expect(stepsOf(text)).toEqual(['done', 'done', 'step', undefined])
    // A first purchase has no old time. The receipt of the slip is told above the accounts.
    expect(wordsOf(text)).toMatch(/^(?!.*old one).*We have received your slip .*0023456789/s)
    expect(wordsOf(text)).toContain('Send another slip')
    world.clock.advance(3_600_000)
    await approve(id)
    const after = (await portal.open()).text
    expect(stepsOf(after)).toEqual(['done', 'done', 'done', 'done'])
    expect(after).not.toMatch(/enctype|class="copy"/)
    world.clock.advance(4 * DAY * 1_000)
    expect((await (await enterPortal(world, 'new')).open()).text).not.toContain('class="steps"')
  })
})
