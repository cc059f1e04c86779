// Telephone numbers, as people type them.
import { expect, it } from 'vitest'
import { readPhone } from './phone.js'

it('a telephone number is read as people type it, or not at all', () => {
  for (const [typed, stored] of [
    ['0555123456', '+213555123456'],
    ['0555 12 34 56', '+213555123456'],
    ['05.55.12-34-56', '+213555123456'],
    ['+213 (0) 555 12 34 56', '+213555123456'],
    ['00213555123456', '+213555123456'],
    ['213 555 123 456', '+213555123456'],
    ['٠٥٥٥١٢٣٤٥٦', '+213555123456'],
    ['۰۵۵۵۱۲۳۴۵۶', '+213555123456'],
    ['\u202a0555\u00a0123456\u202c', '+213555123456'],
    ['021 65 43 21', '+21321654321'],
    ['+33 6 12 34 56 78', '+33612345678'],
    ['555123456', null],
    ['05551234567', null],
    ['0855123456', null],
    ['+2135551234', null],
    ['2900 2026-03-14', null],
    ['amina', null],
    ['', null],
  ] as const) {
    expect.soft(readPhone(typed), String(typed)).toBe(stored)
  }
})
