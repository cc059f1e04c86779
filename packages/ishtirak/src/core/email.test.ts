// What an e-mail address is.
import { expect, it } from 'vitest'
import { isEmail } from './email.js'

it.each([
  'a@b',
  'amina.b+x@example.dz',
  '"odd"@example.dz',
  'أمينة@مثال.الجزائر',
  `${'x'.repeat(64)}@example.dz`,
  `a@${'x'.repeat(252)}`,
])('%s is an address', (text) => expect(isEmail(text)).toBe(true))

it.each([
  ...[
    '',
    '@',
    'a@',
    '@b',
    'a',
    'a@b@c',
    'a b@c',
    'a@b c',
    ' a@b',
    'a@b\n',
    'a\u0000@b',
    'a@b\u0085',
    'a@\ud800',
  ],
  `${'x'.repeat(65)}@example.dz`,
  `a@${'x'.repeat(253)}`,
])('%j is none', (text) => expect(isEmail(text)).toBe(false))
