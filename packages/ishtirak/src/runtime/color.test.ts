// Contrast as WCAG 2.2 computes it, and the accent that is lightened for dark pages.
import fc from 'fast-check'
import { forAll } from '../../../../test/support/for-all.js'
import { contrastBetween, lightenedFor, READABLE_CONTRAST } from './color.js'

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

it('contrast is that of the rules for the web', () => {
  for (const [one, other, expected] of [
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    // The grey that just passes on white, a figure every checker gives.
    ['#767676', '#ffffff', 4.54],
  ] as const) {
    expect.soft(contrastBetween(one, other)).toBeCloseTo(expected, 2)
    expect.soft(contrastBetween(other, one)).toBeCloseTo(expected, 2)
  }
})

it('any color, lightened for a dark card, lets text be read', () => {
  const card = '#18211d'
  const isReadable = (any: string) => contrastBetween(lightenedFor(any, card), card) >= READABLE_CONTRAST
  forAll(100, color, isReadable)
})
