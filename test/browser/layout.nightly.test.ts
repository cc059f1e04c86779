// Nothing is cut off, no date is broken, and each choice says to a screen reader what it is.
import { LOCALES } from '../../packages/ishtirak/src/core/locale.js'
import { styleWith } from '../../packages/ishtirak/src/pages/portal-frame.js'
import {
  contrastBetween,
  READABLE_CONTRAST,
  VISIBLE_CONTRAST,
} from '../../packages/ishtirak/src/runtime/color.js'
import { axeFindingsInColors, keepScreenshot, partsPastEdge, type Visitor } from '../support/browser.js'
import { describeWorldInBrowser } from '../support/browser-world.js'
import { createPayerStates, PAYER_STATES } from '../support/payer-states.js'

/** The height of a phone's screen, 360 px wide. */
const SCREEN = 800
/** The height of a small phone's screen without the bars of its browser. */
const PHONE = 740
/** Width and size of the text, in percent; the pages of the sandbox hold at the usual size. */
const LOOKS = ['1280 100', '320 200', '320 100', '360 200', '360 100']
/** "A page is under 30 kB without fonts." */
const PAGE_BYTES_MAX = 30_000
/** These come on top: the page of a transfer has up to three. */
const QR_CODE_BYTES_MAX = 2_000
/** The width of A4 in px. */
const DOCUMENT = 794

describeWorldInBrowser('the layout of the portal', createPayerStates, ({ visit, world: payers }) => {
  /** With larger text, only words that fit on a line. With the usual size also dates. */
  const brokenIn = ({ page }: Visitor, size: number) =>
    page.evaluate((isUsual) => {
      const range = document.createRange()
      const isBroken = () => new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1
      const broken: string[] = []
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.parentElement?.closest('code, pre, style, details:not([open])')) continue
        for (const { index, 0: word } of (node.textContent ?? '').matchAll(/\S*\d\S*/g)) {
          range.setStart(node, index)
          range.setEnd(node, index + word.length)
          const isShort = word.replace(/[\u2066-\u2069]/g, '').length <= 10
          if (isBroken() && (isUsual || isShort)) broken.push(word)
        }
      }
      if (!isUsual) return broken
      for (const whole of document.querySelectorAll('.whole')) {
        range.selectNodeContents(whole)
        if (isBroken()) broken.push(whole.textContent ?? '')
      }
      return broken
    }, size === 100)

  // A table can be moved sideways.
  const pastEdgeIn = ({ page }: Visitor) => partsPastEdge(page, ', .wide > *')

  /** Values of a summary that do not end where its other values end. */
  const raggedIn = ({ page }: Visitor) =>
    page.evaluate(() => {
      const endOf = (one: Element) => {
        const { left, right } = one.getBoundingClientRect()
        return document.dir === 'rtl' ? left : right
      }
      return [...document.querySelectorAll('.lines dd')]
        .filter((one) => Math.abs(endOf(one) - endOf(one.parentElement ?? one)) > 1)
        .map((one) => one.textContent)
    })

  /** Fields that look like buttons, dates that start a line each, and titles that stand beside a choice. */
  const oddIn = ({ page }: Visitor) =>
    page.evaluate(() => {
      const ink = getComputedStyle(document.body).color
      const odd = [...document.querySelectorAll('label > input:not([type="radio"]), select')]
        .filter((field) => getComputedStyle(field).color !== ink)
        .map((field) => field.outerHTML)
      for (const whole of document.querySelectorAll('.whole'))
        if (getComputedStyle(whole).display === 'block') odd.push(whole.outerHTML)
      const bottom = document.querySelector('#pay-from')?.getBoundingClientRect().bottom ?? 0
      for (const choice of document.querySelectorAll('.kind'))
        if (choice.getBoundingClientRect().top < bottom) odd.push(choice.outerHTML)
      return odd
    })

  it.each(PAYER_STATES)('of %s holds at each width and size and on paper, without fault', async (state) => {
    const visitor = await visit({ width: 360 })
    const { page } = visitor
    // The page of a pending payment loads itself again after three seconds; here it stays as it is.
    await page.route(/[?&]look=/, (route) => route.fulfill({ status: 204 }))
    for (const locale of LOCALES) {
      await payers().show(page, state, locale)
      for (const look of state.startsWith('sandbox') ? ['1280 100', '360 100'] : LOOKS) {
        const [width = 0, size = 0] = look.split(' ').map(Number)
        await page.setViewportSize({ width, height: SCREEN })
        await page.evaluate((percent) => {
          document.documentElement.style.fontSize = `${percent}%`
        }, size)
        await keepScreenshot(page, `payer-${state}-${locale}-${width}-${size}`)
        const where = [locale, width, size]
        expect([...where, await pastEdgeIn(visitor)]).toEqual([...where, []])
        expect([...where, await brokenIn(visitor, size)]).toEqual([...where, []])
        expect([...where, await raggedIn(visitor)]).toEqual([...where, []])
        expect([...where, await oddIn(visitor)]).toEqual([...where, []])
      }
      const rules = locale === 'ar' ? 'all' : 'others'
      const findings = await axeFindingsInColors(page, `payer-${state}-${locale}`, rules)
      expect([locale, findings]).toEqual([locale, []])
      await page.emulateMedia({ colorScheme: null, media: 'print' })
      await page.setViewportSize({ width: DOCUMENT, height: SCREEN })
      await keepScreenshot(page, `payer-${state}-${locale}-printed`)
      expect([locale, await pastEdgeIn(visitor)]).toEqual([locale, []])
      await page.emulateMedia({ media: null })
      visitor.requests()
      const response = await page.goto(page.url())
      expect(visitor.requests().filter((one) => !one.startsWith('data:'))).toEqual([page.url()])
      const codes = await page.locator('.qr').count()
      const bytesMax = PAGE_BYTES_MAX + codes * QR_CODE_BYTES_MAX
      expect((await response?.body())?.length).toBeLessThan(bytesMax)
    }
    expect(visitor.complaints).toEqual([])
  })

  /** The upper and lower edge of the first match, in px from the top of the page. */
  const edgesOf = async ({ page }: Visitor, selector: string) => {
    const { y = Number.NaN, height = 0 } = (await page.locator(selector).first().boundingBox()) ?? {}
    return { top: y, bottom: y + height }
  }
  const countOf = ({ page }: Visitor, selector: string) =>
    page.locator(selector).filter({ visible: true }).count()

  /** The browser knows no other user. */
  const showAlone = async (visitor: Visitor, state: string, locale: string) => {
    await visitor.leave()
    await payers().show(visitor.page, state, locale)
  }

  it.each(['ar', 'fr'])(
    'has what one has, does next and gets on the first screens of a phone (%s)',
    async (locale) => {
      const visitor = await visit({ width: 360 })
      const { page } = visitor
      await page.setViewportSize({ width: 360, height: PHONE })
      await showAlone(visitor, 'free', locale)
      expect((await edgesOf(visitor, '.state')).bottom).toBeLessThan(PHONE / 2)
      expect((await edgesOf(visitor, '.plan:not(.free) > button')).bottom).toBeLessThan(PHONE)
      expect(await countOf(visitor, '.plan:not(.free) > button')).toBe(3)
      await showAlone(visitor, 'running', locale)
      expect((await edgesOf(visitor, '.state')).bottom).toBeLessThan(PHONE)
      expect((await edgesOf(visitor, '.usage')).bottom).toBeLessThan(2 * PHONE)
      expect((await edgesOf(visitor, 'a[href*="/portal/receipts/"]')).bottom).toBeLessThan(2 * PHONE)
      // Nothing is to be done, so no button stands out; at renewal one does.
      expect(await countOf(visitor, '.go')).toBe(0)
      await showAlone(visitor, 'window', locale)
      expect((await edgesOf(visitor, '.state .go')).bottom).toBeLessThan(PHONE)
      expect(await countOf(visitor, '.go')).toBe(1)
      for (const state of ['after-failed', 'after-paid']) {
        await showAlone(visitor, state, locale)
        expect((await edgesOf(visitor, '.bought')).bottom).toBeLessThan(PHONE / 2)
        expect((await edgesOf(visitor, '.ids')).top).toBeGreaterThan(
          (await edgesOf(visitor, '.facts')).bottom,
        )
      }
    },
  )

  it('has a transfer’s steps in order, its code where there is room, and no other way to pay', async () => {
    const visitor = await visit({ width: 360 })
    const { page } = visitor
    await showAlone(visitor, 'transfer-asked', 'ar')
    const steps = ['input[value="ccp"]', '.copied', '.of-kind.ccp .copied', 'form[enctype] .go']
    const tops = await Promise.all(steps.map(async (step) => (await edgesOf(visitor, step)).top))
    expect(tops).toEqual(tops.toSorted((one, other) => one - other))
    expect([await countOf(visitor, '.qr'), await countOf(visitor, '.go')]).toEqual([0, 1])
    expect(await countOf(visitor, 'a[href$="/portal/plans"]')).toBe(1)
    await page.setViewportSize({ width: 800, height: PHONE })
    expect(await countOf(visitor, '.qr')).toBe(1)
    await page.setViewportSize({ width: 1280, height: PHONE })
    await showAlone(visitor, 'free', 'fr')
    const cards = await page.locator('.plan').all()
    const places = await Promise.all(cards.map(async (card) => (await card.boundingBox())?.y))
    expect([places.length, new Set(places).size]).toEqual([4, 1])
  })

  it('prints the accounts without the form of the slip', async () => {
    const visitor = await visit({ width: 1280 })
    await payers().show(visitor.page, 'transfer-asked', 'fr')
    await visitor.page.emulateMedia({ media: 'print' })
    expect(await visitor.page.locator('#transfer').isVisible()).toBe(true)
    for (const gone of ['input[type=file]', '.kind', 'form', 'details', '.actions', '.state'])
      expect(await visitor.page.locator(gone).filter({ visible: true }).count()).toBe(0)
    await visitor.page.emulateMedia({ media: null })
  })
})

it('the seller’s color can be seen and read in the dark', () => {
  for (const color of ['#0b4a6f', '#111111', '#7a0045', '#06402a', '#5a3e00']) {
    const inTheDark = /prefers-color-scheme:dark\)\{:root\{(--brand[^}]*)\}\}$/
    const [, dark = ''] = inTheDark.exec(styleWith(color)) ?? []
    const value = (name: string) => new RegExp(`--${name}:(#\\w{6})`).exec(dark)?.[1] ?? ''
    expect(contrastBetween(value('action'), '#18211d')).toBeGreaterThanOrEqual(VISIBLE_CONTRAST)
    expect(contrastBetween(value('action'), '#ffffff')).toBeGreaterThanOrEqual(READABLE_CONTRAST)
    expect(contrastBetween(value('accent'), '#18211d')).toBeGreaterThanOrEqual(READABLE_CONTRAST)
  }
})
