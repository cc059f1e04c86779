import { isEmail, typedEmail } from './email.js'

it('an address has one @ between two parts, in any script', () => {
  const addresses = [
    ...['a@b', 'amina.b+x@example.dz', '"odd"@example.dz', 'أمينة@مثال.الجزائر'],
    ...[`${'x'.repeat(64)}@example.dz`, `a@${'x'.repeat(252)}`],
  ]
  expect(addresses.filter((text) => !isEmail(text))).toEqual([])
})

it('what has spaces, signs of control or too many characters is no address', () => {
  const others = [
    ...['', '@', 'a@', '@b', 'a', 'a@b@c', 'a b@c', 'a@b c', ' a@b', 'a@b\n', 'a\u0000@b', 'a@b\u0085'],
    ...['Amina <a@b>', 'all: a@b;', 'a@[192.0.2.1]', 'a,b@c', 'a\\@b', 'a(x)@b', 'a\u200b@b'],
    ...['a@\ud800', `${'x'.repeat(65)}@example.dz`, `a@${'x'.repeat(253)}`],
  ]
  expect(others.filter(isEmail)).toEqual([])
})

it('an address that was pasted loses spaces and marks that are not seen', () => {
  expect(typedEmail(' \u202aamina@example.dz\u200f ')).toBe('amina@example.dz')
})
