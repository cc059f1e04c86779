// Users choose their names: mail repeats none that a mail program would make a link of.
import { expect, it } from 'vitest'
import { printableName } from './write-mail.js'

it('a name is used unless a mail program could make a link of it', () => {
  const links = [
    ...['visit http://evil.example', 'evil.example', 'go to evil。example now', 'ｅｖｉｌ．example'],
    ...['HTTPS:evil', 'www evil', 'a@evil.example', '//evil', 'تفضل بزيارة موقع.شبكة'],
  ]
  expect(links.filter((name) => printableName(name) !== null)).toEqual([])
  const names = [
    ...['Amina Boudiaf', 'J. R. Smith', 'M. Ben-Ali', "O'Neil", 'أمينة بوضياف'],
    ...['Jean-Pierre, Dr.', 'A.B.'],
  ]
  expect(names.map(printableName)).toEqual(names)
})
