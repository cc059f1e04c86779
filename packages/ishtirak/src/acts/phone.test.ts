import { readPhone } from './phone.js'

it('a telephone number is read as people type it, or not at all', () => {
  const written = [
    ...['0555123456', '0555 12 34 56', '05.55.12-34-56', '+213 (0) 555 12 34 56', '00213555123456'],
    ...['213 555 123 456', '٠٥٥٥١٢٣٤٥٦', '۰۵۵۵۱۲۳۴۵۶', '\u202a0555\u00a0123456\u202c'],
  ]
  expect(written.filter((typed) => readPhone(typed) !== '+213555123456')).toEqual([])
  expect(readPhone('021 65 43 21')).toBe('+21321654321')
  for (const typed of ['+33 6 12 34 56 78', '+33 (0)6 12 34 56 78', '0033 6 12 34 56 78'])
    expect(readPhone(typed)).toBe('+33612345678')
  // The first is a number of the Internet, the second is free of charge.
  expect(['0982 40 12 34', '0800 12 34 56'].map(readPhone)).toEqual(['+213982401234', '+213800123456'])
  const others = ['call 0555123456', '0555123456 x9', '+999 12 34 56 78', '05551234567', 'amina', '']
  expect(others.filter((typed) => readPhone(typed) !== null)).toEqual([])
})
