// What the portal says of a transfer: why it was refused, what is wrong with a file, and what can be done
// once it has expired.
import { beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../../../../test/support/operator.js'
import { enterPortal, SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'
import { jpeg, pdf, png } from '../../../../test/support/proof-files.js'
import { TRANSFER_FILE } from '../../../../test/support/transfer-file.js'
import { createWorld, type World } from '../../../../test/support/world.js'

const DAY = 86_400
const LOCALES = ['ar', 'fr', 'en'] as const
// As long as those of browsers: shorter ones are not read.
const BOUNDARY = 'x'.repeat(27)
const FORM = `multipart/form-data; boundary=${BOUNDARY}`
const partOf = (head: string, body: string) =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${body}`

describeScenario('the portal and transfers', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database(), { env: { ...OPERATOR_ENV, TRANSFER_FILE } })
    return () => world.stop()
  })

  const ask = async (userId: string) =>
    (await world.as(userId).post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })).body
  const refuse = (id: string) => operatorOf(world).post(`/payments/${id}/refuse`, { why: 'nothing <came>' })
  const approve = async (id: string) => {
    const received_at = new Date(world.clock.now()).toISOString().slice(0, 10)
    const approval = { amount: 2000, received_at, payment_method: 'ccp', why: 'it came' }
    expect((await operatorOf(world).post(`/payments/${id}/approve`, approval)).status).toBe(200)
  }
  const proofsOf = async (id: string) => (await operatorOf(world).payment(id)).transfer.proofs
  const addressOf = (id: string) => `/portal/payments/${id}/proof`

  it(
    'say why the last one was refused, until the user ' + 'asks for another, or it is approved after all',
    async () => {
      const expected = {
        ar: ['لم يُقبل تحويلك', 'السبب: nothing &lt;came>', 'فاتصل'],
        fr: ['n’a pas été accepté', 'Motif : nothing &lt;came>', 'contactez'],
        en: ['was not accepted', 'Reason: nothing &lt;came>', 'contact'],
      }
      for (const locale of LOCALES) {
        const { id, transfer } = await ask(locale)
        const portal = await enterPortal(world, locale, locale)
        const words = async () => wordsOf((await portal.open()).text)
        expect(await words()).not.toContain('&lt;came>')
        await refuse(id)
        const shown = await words()
        const reference = transfer.reference.replaceAll('-', '\u2011')
        for (const text of [reference, ...expected[locale]]) expect(shown).toContain(text)
        world.clock.advance(1000)
        if (locale === 'en') await approve(id)
        else await ask(locale)
        const after = await words()
        for (const text of ['&lt;came>', expected[locale][0]]) expect(after).not.toContain(text)
      }
    },
  )

  it('say what is wrong with a file, without a name of the API', async () => {
    const { id } = await ask('wrong')
    const portal = await enterPortal(world, 'wrong')
    for (const [file, status, words] of [
      [Buffer.from('<script>'), 422, 'neither a JPEG or PNG picture nor a PDF'],
      [png().subarray(0, 40), 422, 'incomplete or damaged'],
      [jpeg({ width: 20_000, height: 20_000 }), 422, 'too many pixels'],
      [pdf().subarray(0, 100), 422, 'incomplete or damaged'],
      [png({ extra: 8 << 20 }), 413, 'larger than 8 MB'],
    ] as const) {
      const page = await portal.upload(addressOf(id), file)
      expect([page.status, wordsOf(page.text)]).toEqual([status, expect.stringContaining(words)])
      expect(wordsOf(page.text)).toContain('File not accepted')
      expect(wordsOf(page.text)).not.toContain('reason')
    }
  })

  it('take the first file of a form, and read no further than a form of theirs goes', async () => {
    const { id } = await ask('first')
    const portal = await enterPortal(world, 'first')
    const files = [1, 2, 3, 4].map((extra) => png({ extra }))
    expect((await portal.upload(addressOf(id), ...files)).status).toBe(303)
    expect(await proofsOf(id)).toMatchObject([{ bytes: png({ extra: 1 }).length }])
    const file = partOf('name="file"; filename="slip.png"', '\r\n')
    const body = `${partOf('name="x"', '\r\n').repeat(13)}${file}--${BOUNDARY}--`
    expect((await portal.post(addressOf(id), body, FORM)).status).toBe(400)
  })

  it(
    'refuse a form that breaks off in its file, ' + 'whether or not it is read; the process goes on',
    async () => {
      const { id } = await ask('broken')
      const portal = await enterPortal(world, 'broken')
      const { formToken } = portal
      const send = async (token: string) => {
        const file = partOf('name="file"; filename="a.pdf"', '%PDF-1.7')
        const body = `${partOf('name="form_token"', `${token}\r\n`)}${file}`
        return (await portal.post(addressOf(id), body, FORM)).status
      }
      const uncaught: unknown[] = []
      const note = (error: unknown) => void uncaught.push(error)
      process.on('uncaughtExceptionMonitor', note)
      expect(await Promise.all([send(formToken), send(formToken), send('not ours')])).toEqual([400, 400, 403])
      expect((await world.call('GET', '/healthz')).status).toBe(200)
      process.off('uncaughtExceptionMonitor', note)
      expect(uncaught).toEqual([])
    },
  )

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
    for (const [body, sent] of [
      [`--${BOUNDARY}\r\ncontent-disposition: form-data; na`, FORM],
      ['--y--', FORM],
      ['', 'multipart/form-data'],
    ] as const)
      expect((await portal.post(addressOf(id), body, sent)).status).toBe(400)
    expect((await operatorOf(world).payment(id)).transfer).toMatchObject({ proof_at: null, proofs: [] })
    for (const extra of [1, 2, 3])
      expect((await portal.upload(addressOf(id), png({ extra }))).status).toBe(303)
    const fourth = await portal.upload(addressOf(id), png({ extra: 4 }))
    expect([fourth.status, wordsOf(fourth.text)]).toEqual([409, expect.stringContaining('three files')])
    expect((await portal.open()).text).not.toContain('enctype')
  })

  it(
    'name both ways to pay, which of two open payments ' + 'is which, and the user’s own transfer alone',
    async () => {
      const expected = {
        ar: [
          'تحويل (الحساب البريدي الجاري CCP أو بريدي موب BaridiMob أو حساب بنكي)',
          'طريقة الدفع البطاقة الذهبية أو بطاقة CIB تحويل',
          ...['بالتحويل', 'بالبطاقة'],
        ],
        fr: [
          'Virement (CCP, BaridiMob ou compte bancaire)',
          'Moyen de paiement Carte EDAHABIA ou CIB Virement',
          ...['par virement', 'par carte'],
        ],
        en: [
          'Transfer (CCP, BaridiMob, or bank account)',
          'How you pay EDAHABIA or CIB card Transfer',
          ...['by transfer', 'by card'],
        ],
      }
      const { id: foreign } = await ask('foreign')
      for (const locale of LOCALES) {
        const portal = await enterPortal(world, locale, locale)
        const words = async () => wordsOf((await portal.open('/portal?payments=all')).text)
        const [ways, pay, ...open] = expected[locale]
        const before = await words()
        for (const text of [ways, pay]) expect(before).toContain(text)
        const { transfer } = await ask(locale)
        await world.as(locale).upgrade()
        const after = await words()
        for (const way of open) expect(after).toContain(` Pro · ${way} `)
        // In fours for the eye: nothing stands between them where it is copied.
        const rip = transfer.accounts[0].rip.match(/.{4}/g).join('</span><span>')
        const { text } = await portal.open()
        expect(text).toContain(`<span>${rip}</span>`)
        if (locale !== 'en') continue
        // One kind of account is shown at a time, each with a drawing to be read by a phone.
        expect([...text.matchAll(/name="kind" value="(\w+)"( checked)?/g)].map(([, ...one]) => one)).toEqual([
          ['ccp', ' checked'],
          ['baridimob', undefined],
          ['bank', undefined],
        ])
        expect(text.match(/<svg class="qr"/g)).toHaveLength(3)
        for (const asked of [foreign, 'pay_nope', '']) {
          const page = await portal.open(`/portal?transfer=${asked}`)
          expect([page.status, wordsOf(page.text)]).toEqual([
            200,
            expect.stringContaining(transfer.reference),
          ])
        }
      }
    },
  )

  it('once the slip is sent, say so, fold the accounts and invite to no second payment', async () => {
    const expected = {
      ar: ['وصل التحويل قيد التحقق', 'أظهر الحسابات من جديد', 'تبدأ المدة الجديدة من نهاية القديمة'],
      fr: [
        'Justificatif en cours de vérification',
        'Afficher de nouveau les comptes',
        'de la fin de l’ancienne',
      ],
      en: ['Slip being checked', 'Show the accounts again', 'the new time starts where the old one ends'],
    }
    for (const locale of LOCALES) await world.as(locale).buy()
    await world.advance(32 * DAY)
    for (const locale of LOCALES) {
      const [state = '', fold = ''] = expected[locale]
      const { id, transfer } = await ask(locale)
      const portal = await enterPortal(world, locale, locale)
      const before = (await portal.open()).text
      expect(before).toContain('/portal/choice"')
      expect(wordsOf(before)).not.toContain(state)
      await world.as(locale).upgrade()
      await portal.upload(addressOf(id), png())
      const { text } = await portal.open('/portal?payments=all')
      for (const part of expected[locale]) expect(wordsOf(text)).toContain(part)
      const folded = /<details><summary>[^<]*<\/summary>(.*?)<\/details>/s.exec(
        text.slice(text.indexOf(fold) - 30),
      )
      expect(wordsOf(folded?.[1] ?? '')).toContain(transfer.accounts[0].number)
      expect(wordsOf(text.replace(folded?.[0] ?? '', ''))).not.toContain(transfer.accounts[0].number)
      expect(text).not.toMatch(/\/portal\/(upgrade|transfer|choice)"|checkouts\//)
      // An operator decides: then all is as before.
      await refuse(id)
      expect(wordsOf((await portal.open()).text)).not.toContain(state)
    }
  })

  it('take the slip of an expired one, which is asked for from the history', async () => {
    const expected = {
      ar: ['أرسلتُ المبلغ', 'فسيُحتسب'],
      fr: ['J’ai envoyé la somme', 'elle compte quand même'],
      en: ['I have sent the money', 'it still counts'],
    }
    const asked = new Map<
      string,
      { id: string; transfer: { reference: string; accounts: { number: string }[] } }
    >()
    for (const locale of LOCALES) {
      const one = await ask(locale)
      asked.set(locale, one)
      const portal = await enterPortal(world, locale, locale)
      expect((await portal.open()).text).not.toContain(`/portal?transfer=${one.id}`)
    }
    await world.advance(8 * DAY)
    for (const [locale, { id, transfer }] of asked) {
      const [link, words = ''] = expected[locale as 'ar']
      const address = `${world.base}/portal?transfer=${id}`
      const again = await enterPortal(world, locale, locale)
      const history = (await again.open('/portal?payments=all')).text
      expect(history).toContain(`href="${address}#late-transfer"`)
      expect(wordsOf(history)).toContain(link)
      const late = async () => (await again.open(`/portal?transfer=${id}`)).text
      const shown = await late()
      for (const text of [transfer.reference, words]) expect(wordsOf(shown)).toContain(text)
      // Nothing further is to be sent for it, and another one can be asked for.
      expect(wordsOf(shown)).not.toContain(transfer.accounts[0]?.number)
      expect(shown).toContain('name="method" value="transfer"')
      const sent = await again.upload(addressOf(id), png())
      expect([sent.status, sent.headers.get('location')]).toEqual([303, `${address}#received`])
      expect(await late()).toContain('role="status" class="notice" id="received"')
      expect(await proofsOf(id)).toHaveLength(1)
      if (locale === 'en') {
        const { text } = await again.open('/portal?payments=all')
        expect(wordsOf(text)).toContain('Slip being checked')
        expect(text).not.toMatch(/\/portal\/(upgrade|choice)"/)
        // Why nothing can be bought stands on top, and what was sent is not asked for again.
        expect(wordsOf(text)).toMatch(/Your transfer We have received your slip .* Your plan Free/)
        expect(wordsOf(text)).not.toContain('send us the slip')
        await refuse(id)
        expect((await again.open()).text).not.toContain('id="received"')
      }
      await approve(id)
      expect(await late()).not.toContain('enctype')
      expect((await again.open()).text).not.toContain(address)
    }
  })

  it('change a plan, or begin a term, once the money is seen, and say so before it is ordered', async () => {
    const env = { TRANSFER_FILE, PLANS_FILE: SELLING_PLANS }
    await using dearer = await createWorld(database(), { env })
    await dearer.as('user-1').buyWanted({ plan: 'pro' })
    for (const [locale, from, now] of [
      ['en', 'once we have seen the money', 'from now on'],
      ['fr', 'dès que nous avons constaté l’arrivée de la somme', 'dès maintenant'],
      ['ar', 'بعد وصول المبلغ إلى حسابنا', 'من الآن'],
    ] as const) {
      const portal = await enterPortal(dearer, 'user-1', locale)
      const choice = { offer: 'now business', method: 'transfer' }
      const summary = wordsOf((await portal.submit('/portal/choice', choice)).text)
      expect([summary.includes(`Business · ${from} · `), summary.includes(now)]).toEqual([true, false])
      const first = await enterPortal(dearer, 'user-2', locale)
      const term = { offer: '1 pro', method: 'transfer' }
      const bought = wordsOf((await first.submit('/portal/choice', term)).text)
      expect([bought.includes(` · ${from} `), bought.includes('2027')]).toEqual([true, false])
    }
  })

  const stepsOf = (html: string) => {
    const [list = ''] = /<ol class="steps">.*?<\/ol>/s.exec(html) ?? []
    return [...list.matchAll(/<li(?: class="(done)")?(?: aria-current="(step)")?>/g)].map(
      (one) => one[1] ?? one[2],
    )
  }

  it('follow a first order from its request to its time, each step with when it was', async () => {
    const expected = {
      en: ['Order placed', 'Usually within 1 day of the slip', 'No field for a reference in your app?'],
      fr: ['Commande passée', 'En général sous 1 jour après', 'Pas de champ pour la référence'],
      ar: ['تسجيل الطلب', 'عادةً خلال يوم من استلام وصل التحويل', 'لا توجد خانة للمرجع في تطبيقك؟'],
    }
    // Who buys for the first time has no old time.
    const wrong = { en: 'old one', fr: 'prolong', ar: 'القديمة' }
    for (const locale of LOCALES) {
      const { id } = await ask(`new-${locale}`)
      const portal = await enterPortal(world, `new-${locale}`, locale)
      const before = (await portal.open()).text
      for (const text of expected[locale]) expect(wordsOf(before)).toContain(text)
      expect(stepsOf(before)).toEqual(['done', 'step', undefined, undefined])
      expect((await portal.upload(addressOf(id), png())).status).toBe(303)
      const { text } = await portal.open()
      const words = wordsOf(text)
      expect(stepsOf(text)).toEqual(['done', 'done', 'step', undefined])
      expect(words).not.toContain(wrong[locale])
      if (locale === 'en') {
        // That it came stands above the accounts, and another one can be sent.
        expect(words).toMatch(/We have received your slip .*0023456789/)
        expect(words).toContain('Send another slip')
      }
      world.clock.advance(3_600_000)
      await approve(id)
      const after = (await portal.open()).text
      expect(stepsOf(after)).toEqual(['done', 'done', 'done', 'done'])
      expect(after).not.toMatch(/enctype|class="copy"/)
    }
    world.clock.advance(4 * DAY * 1_000)
    expect((await (await enterPortal(world, 'new-en')).open()).text).not.toContain('class="steps"')
  })
})
