// What the portal says of a transfer: why it was refused, what is wrong with a file, and what can be done
// once it has expired.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../../../../test/support/operator.js'
import { enterPortal, SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'
import { jpeg, pdf, png } from '../../../../test/support/proof-files.js'
import { TRANSFER_FILE } from '../../../../test/support/transfer-file.js'
import { createWorld, type World } from '../../../../test/support/world.js'

describeScenario('the portal and transfers', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database(), { env: { ...OPERATOR_ENV, TRANSFER_FILE }, isNew: true })
  })
  afterEach(() => world.stop())

  const ask = async (userId = 'user-1') =>
    (await world.as(userId).post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })).body
  const refuse = (id: string) => operatorOf(world).post(`/payments/${id}/refuse`, { why: 'nothing <came>' })

  it.each([
    ['ar', 'لم يُقبل تحويلك', 'السبب: nothing &lt;came>', 'فاتصل'],
    ['fr', 'n’a pas été accepté', 'Motif : nothing &lt;came>', 'contactez'],
    ['en', 'was not accepted', 'Reason: nothing &lt;came>', 'contact'],
  ])('say in %s why the last one was refused, until the user asks for another', async (locale, ...said) => {
    const { id, transfer } = await ask()
    const portal = await enterPortal(world, 'user-1', locale)
    const words = async () => wordsOf((await portal.open()).text)
    expect(await words()).not.toContain('&lt;came>')
    await refuse(id)
    const shown = await words()
    const reference = transfer.reference.replaceAll('-', '\u2011')
    for (const text of [reference, ...said]) expect(shown).toContain(text)
    world.clock.advance(1000)
    await ask()
    expect(await words()).not.toContain('&lt;came>')
  })

  it('say nothing of one that was approved after all', async () => {
    const { id } = await ask()
    await refuse(id)
    const approval = { amount: 2000, received_at: '2026-11-21', payment_method: 'ccp', why: 'it came' }
    expect((await operatorOf(world).post(`/payments/${id}/approve`, approval)).status).toBe(200)
    const { text } = await (await enterPortal(world, 'user-1')).open()
    expect(text).not.toContain('was not accepted')
  })

  it.each([
    ['not a picture', Buffer.from('<script>'), 422, 'neither a JPEG or PNG picture nor a PDF'],
    ['a cut picture', png().subarray(0, 40), 422, 'incomplete or damaged'],
    ['a picture of too many pixels', jpeg({ width: 20_000, height: 20_000 }), 422, 'too many pixels'],
    ['a PDF without its end', pdf().subarray(0, 100), 422, 'incomplete or damaged'],
    ['a large file', png({ extra: 8 << 20 }), 413, 'larger than 8 MB'],
  ])('say what is wrong with %s, without a name of the API', async (_what, file, status, words) => {
    const { id } = await ask()
    const portal = await enterPortal(world, 'user-1')
    const page = await portal.upload(`/portal/payments/${id}/proof`, file)
    expect([page.status, wordsOf(page.text)]).toEqual([status, expect.stringContaining(words)])
    expect(wordsOf(page.text)).toContain('File not accepted')
    expect(wordsOf(page.text)).not.toContain('reason')
  })

  it('take the first file of a form, and read no further than a form of theirs goes', async () => {
    const { id } = await ask()
    const portal = await enterPortal(world, 'user-1')
    const address = `/portal/payments/${id}/proof`
    const files = [1, 2, 3, 4].map((extra) => png({ extra }))
    expect((await portal.upload(address, ...files)).status).toBe(303)
    expect((await operatorOf(world).payment(id)).transfer.proofs).toMatchObject([
      { bytes: png({ extra: 1 }).length },
    ])
    const boundary = 'x'.repeat(27)
    const part = (name: string) => `--${boundary}\r\ncontent-disposition: form-data; ${name}\r\n\r\n\r\n`
    const body = `${part('name="x"').repeat(13)}${part('name="file"; filename="slip.png"')}--${boundary}--`
    expect((await portal.post(address, body, `multipart/form-data; boundary=${boundary}`)).status).toBe(400)
  })

  it(
    'refuse a form that breaks off in its file, whether or not the file is read; the process goes ' + 'on',
    async () => {
      const { id } = await ask()
      const portal = await enterPortal(world, 'user-1')
      const boundary = 'x'.repeat(27)
      const part = (head: string, body: string) =>
        `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${body}`
      const send = async (token: string) => {
        const body =
          part('name="form_token"', `${token}\r\n`) + part('name="file"; filename="a.pdf"', '%PDF-1.7')
        const sent = await portal.post(
          `/portal/payments/${id}/proof`,
          body,
          `multipart/form-data; boundary=${boundary}`,
        )
        return sent.status
      }
      const { formToken } = portal
      const uncaught: unknown[] = []
      const note = (error: unknown) => void uncaught.push(error)
      process.on('uncaughtExceptionMonitor', note)
      expect(await Promise.all([send(formToken), send(formToken), send('not ours')])).toEqual([400, 400, 403])
      expect((await world.call('GET', '/healthz')).status).toBe(200)
      process.off('uncaughtExceptionMonitor', note)
      expect(uncaught).toEqual([])
    },
  )

  it.each([
    [
      'ar',
      'تحويل (الحساب البريدي الجاري CCP أو بريدي موب BaridiMob أو حساب بنكي)',
      'طريقة الدفع البطاقة الذهبية أو بطاقة CIB تحويل',
      'بالتحويل',
      'بالبطاقة',
    ],
    [
      'fr',
      'Virement (CCP, BaridiMob ou compte bancaire)',
      'Moyen de paiement Carte EDAHABIA ou CIB Virement',
      'par virement',
      'par carte',
    ],
    [
      'en',
      'Transfer (CCP, BaridiMob, or bank account)',
      'How you pay EDAHABIA or CIB card Transfer',
      'by transfer',
      'by card',
    ],
  ])(
    'name both ways to pay, and which of two open payments is which (%s)',
    async (locale, ways, pay, ...open) => {
      const portal = await enterPortal(world, 'user-1', locale)
      const words = async () => wordsOf((await portal.open('/portal?payments=all')).text)
      for (const text of [ways, pay]) expect(await words()).toContain(text)
      const { transfer } = await ask()
      await world.as('user-1').upgrade()
      for (const way of open) expect(await words()).toContain(` Pro · ${way} `)
      // In fours for the eye: nothing stands between them where it is copied.
      const rip = transfer.accounts[0].rip.match(/.{4}/g).join('</span><span>')
      expect((await portal.open()).text).toContain(`<span>${rip}</span>`)
    },
  )

  it('take one file, say so above the accounts, and offer the form for another', async () => {
    const { id } = await ask()
    const portal = await enterPortal(world, 'user-1')
    expect((await portal.upload(`/portal/payments/${id}/proof`, png())).status).toBe(303)
    const words = wordsOf((await portal.open()).text)
    expect(words.indexOf('We have received your slip')).toBeGreaterThan(0)
    expect(words.indexOf('We have received your slip')).toBeLessThan(words.indexOf('0023456789'))
    expect(words).toContain('Send another slip')
  })

  it.each([
    ['ar', 'وصل التحويل قيد التحقق', 'أظهر الحسابات من جديد', 'تبدأ المدة الجديدة من نهاية القديمة'],
    [
      'fr',
      'Justificatif en cours de vérification',
      'Afficher de nouveau les comptes',
      'de la fin de l’ancienne',
    ],
    ['en', 'Slip being checked', 'Show the accounts again', 'the new time starts where the old one ends'],
  ])(
    'once the slip is sent, say so, fold the accounts and invite to no second payment (%s)',
    async (locale, state, fold, inTime) => {
      await world.as('user-1').buy()
      await world.advance(32 * 86_400)
      const { id, transfer } = await ask()
      const portal = await enterPortal(world, 'user-1', locale)
      const before = (await portal.open()).text
      expect(before).toContain('/portal/choice"')
      expect(wordsOf(before)).not.toContain(state)
      await world.as('user-1').upgrade()
      await portal.upload(`/portal/payments/${id}/proof`, png())
      const { text } = await portal.open('/portal?payments=all')
      for (const part of [state, fold, inTime]) expect(wordsOf(text)).toContain(part)
      const folded = /<details><summary>[^<]*<\/summary>(.*?)<\/details>/s.exec(
        text.slice(text.indexOf(fold) - 30),
      )
      expect(wordsOf(folded?.[1] ?? '')).toContain(transfer.accounts[0].number)
      expect(wordsOf(text.replace(folded?.[0] ?? '', ''))).not.toContain(transfer.accounts[0].number)
      expect(text).not.toMatch(/\/portal\/(upgrade|transfer|choice)"|checkouts\//)
      // An operator decides: then all is as before.
      await refuse(id)
      const after = (await portal.open()).text
      expect(wordsOf(after)).not.toContain(state)
    },
  )

  it('speak of no old time to those who buy for the first time', async () => {
    const { id } = await ask()
    for (const [locale, wrong] of [
      ['en', 'old one'],
      ['fr', 'prolong'],
      ['ar', 'القديمة'],
    ] as const) {
      const portal = await enterPortal(world, 'user-1', locale)
      await portal.upload(`/portal/payments/${id}/proof`, png())
      expect(wordsOf((await portal.open()).text)).not.toContain(wrong)
    }
  })

  it('show of an expired one that its slip is being checked', async () => {
    const { id } = await ask()
    await world.advance(8 * 86_400)
    const portal = await enterPortal(world, 'user-1')
    await portal.upload(`/portal/payments/${id}/proof`, png())
    const { text } = await portal.open('/portal?payments=all')
    expect(wordsOf(text)).toContain('Slip being checked')
    expect(text).not.toMatch(/\/portal\/(upgrade|choice)"/)
    // Why nothing can be bought stands on top, and what was sent is not asked for again.
    expect(wordsOf(text)).toMatch(/Your transfer We have received your slip .* Your plan Free/)
    expect(wordsOf(text)).not.toContain('send us the slip')
    await refuse(id)
    expect((await portal.open()).text).not.toContain('id="received"')
  })

  it('take no form that is not of the session, or that cannot be read, and no fourth file', async () => {
    const { id } = await ask()
    const portal = await enterPortal(world, 'user-1')
    const address = `/portal/payments/${id}/proof`
    const stolen = await enterPortal(world, 'user-2')
    expect((await stolen.upload(address, png())).status).toBe(404)
    // As long as those of browsers: shorter ones are not read.
    const boundary = 'x'.repeat(27)
    const type = `multipart/form-data; boundary=${boundary}`
    const made = ['name="form_token"', 'name="file"; filename="slip.png"'].map(
      (name) => `--${boundary}\r\ncontent-disposition: form-data; ${name}\r\n\r\nmade up\r\n`,
    )
    expect((await portal.post(address, `${made.join('')}--${boundary}--\r\n`, type)).status).toBe(403)
    for (const [body, sent] of [
      [`--${boundary}\r\ncontent-disposition: form-data; na`, type],
      ['--y--', type],
      ['', 'multipart/form-data'],
    ] as const)
      expect((await portal.post(address, body, sent)).status).toBe(400)
    expect((await operatorOf(world).payment(id)).transfer).toMatchObject({ proof_at: null, proofs: [] })
    for (const extra of [1, 2, 3]) expect((await portal.upload(address, png({ extra }))).status).toBe(303)
    const fourth = await portal.upload(address, png({ extra: 4 }))
    expect([fourth.status, wordsOf(fourth.text)]).toEqual([409, expect.stringContaining('three files')])
    expect((await portal.open()).text).not.toContain('enctype')
  })

  it.each([
    ['ar', 'أرسلتُ المبلغ', 'فسيُحتسب'],
    ['fr', 'J’ai envoyé la somme', 'elle compte quand même'],
    ['en', 'I have sent the money', 'it still counts'],
  ])(
    'take the slip of an expired one, which is asked for from the history (%s)',
    async (locale, link, words) => {
      const { id, transfer } = await ask()
      const portal = await enterPortal(world, 'user-1', locale)
      const address = `${world.base}/portal?transfer=${id}`
      expect((await portal.open()).text).not.toContain(address)
      await world.advance(8 * 86_400)
      const again = await enterPortal(world, 'user-1', locale)
      const history = (await again.open('/portal?payments=all')).text
      expect(history).toContain(`href="${address}#late-transfer"`)
      expect(wordsOf(history)).toContain(link)
      const late = async () => (await again.open(`/portal?transfer=${id}`)).text
      const shown = wordsOf(await late())
      for (const text of [transfer.reference, words]) expect(shown).toContain(text)
      // Nothing further is to be sent for it, and another one can be asked for.
      expect(shown).not.toContain(transfer.accounts[0].number)
      expect(await late()).toContain('name="method" value="transfer"')
      const sent = await again.upload(`/portal/payments/${id}/proof`, png())
      expect([sent.status, sent.headers.get('location')]).toEqual([303, `${address}#received`])
      expect(await late()).toContain('role="status" class="notice" id="received"')
      expect((await operatorOf(world).payment(id)).transfer.proofs).toHaveLength(1)
      const received_at = new Date(world.clock.now()).toISOString().slice(0, 10)
      const approval = { amount: 2000, received_at, payment_method: 'ccp', why: 'it came' }
      expect((await operatorOf(world).post(`/payments/${id}/approve`, approval)).status).toBe(200)
      expect(await late()).not.toContain('enctype')
      expect((await again.open()).text).not.toContain(address)
    },
  )

  it.each([
    ['en', 'once we have seen the money', 'from now on'],
    ['fr', 'dès que nous avons constaté l’arrivée de la somme', 'dès maintenant'],
    ['ar', 'بعد وصول المبلغ إلى حسابنا', 'من الآن'],
  ])(
    'change a plan, or begin a term, once the money is seen, and say so before it is ordered (%s)',
    async (locale, from, now) => {
      const env = { TRANSFER_FILE, PLANS_FILE: SELLING_PLANS }
      await using dearer = await createWorld(database(), { env })
      await dearer.as('user-1').buyWanted({ plan: 'pro' })
      const portal = await enterPortal(dearer, 'user-1', locale)
      const choice = { offer: 'now business', method: 'transfer' }
      const summary = wordsOf((await portal.submit('/portal/choice', choice)).text)
      expect([summary.includes(`Business · ${from} · `), summary.includes(now)]).toEqual([true, false])
      const first = await enterPortal(dearer, 'user-2', locale)
      const term = { offer: '1 pro', method: 'transfer' }
      const bought = wordsOf((await first.submit('/portal/choice', term)).text)
      expect([bought.includes(` · ${from} `), bought.includes('2027')]).toEqual([true, false])
    },
  )

  it.each([
    ['en', 'Order placed', 'Usually within 1 day of the slip', 'No field for a reference in your app?'],
    ['fr', 'Commande passée', 'En général sous 1 jour après', 'Pas de champ pour la référence'],
    ['ar', 'تسجيل الطلب', 'عادةً خلال يوم من استلام وصل التحويل', 'لا توجد خانة للمرجع في تطبيقك؟'],
  ])('follow an order from its request to its time, each step with when it was (%s)', async (...of) => {
    const [locale, asked, usual, noField] = of
    const { id } = await ask()
    const portal = await enterPortal(world, 'user-1', locale)
    const stepsOf = (html: string) => {
      const [list = ''] = /<ol class="steps">.*?<\/ol>/s.exec(html) ?? []
      return [...list.matchAll(/<li(?: class="(done)")?(?: aria-current="(step)")?>/g)].map(
        (one) => one[1] ?? one[2],
      )
    }
    const before = (await portal.open()).text
    for (const text of [asked, usual, noField]) expect(wordsOf(before)).toContain(text)
    expect(stepsOf(before)).toEqual(['done', 'step', undefined, undefined])
    await portal.upload(`/portal/payments/${id}/proof`, png())
    expect(stepsOf((await portal.open()).text)).toEqual(['done', 'done', 'step', undefined])
    world.clock.advance(3_600_000)
    const approval = { amount: 2000, received_at: '2026-11-21', payment_method: 'ccp', why: 'it came' }
    expect((await operatorOf(world).post(`/payments/${id}/approve`, approval)).status).toBe(200)
    const after = (await portal.open()).text
    expect(stepsOf(after)).toEqual(['done', 'done', 'done', 'done'])
    expect(after).not.toMatch(/enctype|class="copy"/)
    await world.advance(4 * 86_400)
    expect((await (await enterPortal(world, 'user-1', locale)).open()).text).not.toContain('class="steps"')
  })

  it('show one kind of account at a time, each with a drawing to be read by a phone', async () => {
    await ask()
    const { text } = await (await enterPortal(world, 'user-1')).open()
    expect([...text.matchAll(/name="kind" value="(\w+)"( checked)?/g)].map(([, ...one]) => one)).toEqual([
      ['ccp', ' checked'],
      ['baridimob', undefined],
      ['bank', undefined],
    ])
    expect(text.match(/<svg class="qr"/g)).toHaveLength(3)
  })

  it('show none that is not the user’s own, beside the one that is waited for', async () => {
    const { transfer } = await ask()
    const { id: foreign } = await ask('user-2')
    const portal = await enterPortal(world, 'user-1')
    for (const asked of [foreign, 'pay_nope', '']) {
      const page = await portal.open(`/portal?transfer=${asked}`)
      expect([page.status, wordsOf(page.text)]).toEqual([200, expect.stringContaining(transfer.reference)])
    }
  })
})
