// What is at the root of the emulator: where everything is, for people.
import { expect, test } from 'vitest'
import { answerOf, emulator, KEY } from './support.js'

test.each([
  ['ar', 'rtl', 'محاكي Chargily Pay'],
  ['fr', 'ltr', 'Émulateur de Chargily Pay'],
  ['en', 'ltr', 'An emulator of Chargily Pay'],
])('leads on, in %s', async (locale, direction, title) => {
  const emu = await emulator()
  const answers = [
    await fetch(`${emu.url}/?lang=${locale}`),
    await fetch(emu.url, { headers: { 'accept-language': `xx, ${locale}-DZ;q=0.9` } }),
  ]
  for (const answer of answers) {
    const { text, headers } = await answerOf(answer)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).toContain(`<html lang="${locale}" dir="${direction}">`)
    for (const words of [
      title,
      `href="${emu.url}/_sandbox"`,
      `${emu.url}/test/api/v2`,
      'payment_method=edahabia',
    ])
      expect(text).toContain(words)
    expect(text).not.toContain(KEY)
  }
})
