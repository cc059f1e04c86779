// The page of a month: its figures, what it leads to, its file and its journal.
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { sql } from '../../../../test/support/sql.js'

const selectExports = sql(`select actor, after from audit where act = 'payments.export'`)

describeWorld('the page of a month', { withoutJobs: true }, ({ world, database }) => {
  const enter = (role: keyof typeof ROLE_KEYS = 'owner') => enterConsole(world, ROLE_KEYS[role])
  const operator = () => operatorOf(world, ROLE_KEYS.owner)
  const numberIn = (text: string) =>
    Number(
      text
        .replace('\u2212', '-')
        .replace(/[^\d,-]/g, '')
        .replace(',', '.'),
    )
  /** The cells under a heading, as numbers. */
  const columnOf = (html: string, card: string, heading: string) => {
    const [, part = ''] = html.split(`id="${card}"`)
    const cells = part.split('</section>', 1)[0]?.matchAll(/<td data-label="([^"]*)"[^>]*>(.*?)<\/td>/g) ?? []
    return [...cells]
      .filter(([, name]) => name === heading)
      .map(([, , cell = '']) => numberIn(cell.replace(/<[^>]*>/g, '')))
  }
  const sum = (of: readonly number[]) => of.reduce((one, other) => one + other, 0)

  it('adds up by day and by method, names each row and draws the days in words', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const cash = { new_user: true, plan: 'pro', method: 'cash', amount: 2020, reference: '1', why: 'paid' }
    await operator().post('/users/user-2/record', cash)
    world.clock.advance(2 * 86_400_000)
    await world.as('user-3').buy('cib')
    await operator().post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    const visit = await enter()
    const { text } = await visit.open('/console/months/2026-11')
    for (const card of ['by-day', 'by-method']) {
      const [body = ''] = /<tbody>.*?<\/tbody>/s.exec(text.split(`id="${card}"`)[1] ?? '') ?? []
      const rows = body.split('<tr>').slice(1)
      expect(rows.length).toBeGreaterThan(1)
      expect(rows.filter((row) => !row.startsWith('<th scope="row"'))).toEqual([])
    }
    const cards = [...text.matchAll(/<section class="card" aria-labelledby="([a-z-]+)"/g)].map(([, id]) => id)
    expect(cards).toEqual(['story', 'received', 'files', 'users', 'by-method', 'by-rate'])
    expect(text).toContain('<details class="card"><summary><h2>By day</h2></summary><div id="by-day"')
    // On a phone a day has its date and its net.
    const [head = ''] = /<thead>.*?<\/thead>/s.exec(text.split('id="by-day"')[1] ?? '') ?? []
    expect(wordsOf(head.replace(/<th[^>]*class="on-wide".*?<\/th>/g, '')).trim()).toBe('Day Net')
    expect(text).toContain('<div class="rows wide" tabindex="0" role="group"')
    expect(text).toMatch(/<body class="console"><a class="skip" href="#content">Skip to content<\/a>/)
    expect(text).toContain('<main id="content">')

    // The cash came with 20 of duty.
    for (const card of ['by-day', 'by-method'])
      for (const [heading, expected] of Object.entries({
        ...{ Net: 4020, Payments: 3, 'Incl. tax (TTC)': 6000, Refunded: 2000, 'Stamp duty': 20 },
      }))
        expect([card, heading, sum(columnOf(text, card, heading))]).toEqual([card, heading, expected])
    expect(wordsOf(text)).toContain(
      'The money, step by step Received 6 020 DA = Sales 6 020 DA of which before tax 5 042,01 DA ' +
        'of which VAT 957,99 DA of which stamp duty 20 DA Refunded −2 000 DA ' +
        '= Net of fees and refunds 4 020 DA',
    )

    const drawn = (await visit.open('/console/months')).text
    expect(drawn.match(/<rect /g)).toHaveLength(3)
    expect(drawn).toContain('role="img" aria-labelledby="chart-title chart-text"')
    expect(wordsOf(drawn)).toContain(
      'Sales of 6 020 DA in total, refunded 2 000 DA. The best: 21 November 2026 with 4 020 DA.',
    )
    expect(drawn).not.toMatch(/<script|style="/)
  })

  it('leads to the months around it, and no further than today', async () => {
    const visit = await enter()
    const { text } = await visit.open('/console/months')
    expect(text).toContain('/console/months/2026-10"')
    expect(text).not.toContain('/console/months/2026-12')
    const earlier = await visit.open('/console/months/2026-10')
    expect(earlier.text).toContain('/console/months/2026-11"')
    expect(wordsOf(earlier.text)).toContain('Nothing was paid or refunded in this month.')
    expect((await visit.open('/console/months/1970-01')).status).toBe(200)
    for (const path of ['2026-13', 'x', '2026-13/sales'])
      expect([path, (await visit.open(`/console/months/${path}`)).status]).toEqual([path, 404])
    const wrong = await visit.open('/console/exports/accounts?month=2026-13')
    expect([wrong.status, wordsOf(wrong.text)]).toEqual([
      422,
      expect.stringContaining('month: The value has the wrong form.'),
    ])
  })

  it('gives its file to the roles that may have it, and writes it to the trail', async () => {
    const viewer = await enter('viewer')
    expect((await viewer.open('/console/months')).text).not.toContain('/accounts')
    expect((await viewer.open('/console/exports/accounts?month=2026-11')).status).toBe(403)
    const accountant = await enter('accountant')
    expect((await accountant.open('/console/months')).text).toContain('/accounts?format=excel')
    const file = await accountant.open('/console/exports/accounts?format=excel&month=2026-11')
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="accounts-2026-11-excel.csv"')
    expect(file.headers.get('cache-control')).toBe('no-store')
    expect(file.text).toContain('type;date;numéro de reçu;')
    expect(await database().query(selectExports)).toEqual([
      { actor: 'accountant', after: { file: 'accounts', month: '2026-11' } },
    ])
  })
})
