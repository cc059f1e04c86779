// Users choose their names: mail repeats none that a mail program would make a link of.
import { describe, expect, it } from 'vitest'
import { printableName } from './write-mail.js'

describe('a name', () => {
  it.each([
    'visit http://evil.example',
    'evil.example',
    'go to evil。example now',
    'ｅｖｉｌ．example',
    'HTTPS:evil',
    'www evil',
    'a@evil.example',
    '//evil',
    'تفضل بزيارة موقع.شبكة',
  ])('like %s is left out', (name) => {
    expect(printableName(name)).toBeNull()
  })

  it.each([
    'Amina Boudiaf',
    'J. R. Smith',
    'M. Ben-Ali',
    "O'Neil",
    'أمينة بوضياف',
    'Jean-Pierre, Dr.',
    'A.B.',
  ])('like %s is used', (name) => {
    expect(printableName(name)).toBe(name)
  })
})
