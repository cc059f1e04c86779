// Contrast as WCAG 2.2 computes it, and the accent that is lightened for dark pages.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contrastBetween, lightenedFor, READABLE_CONTRAST } from './color.js'

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

describe('contrast', () => {
  it('is that of the rules for the web', () => {
    for (const [one, other, expected] of [
      ['#000000', '#ffffff', 21],
      ['#ffffff', '#ffffff', 1],
      // The grey that just passes on white, a figure every checker gives.
      ['#767676', '#ffffff', 4.54],
    ] as const) {
      expect.soft(contrastBetween(one, other), String(one)).toBeCloseTo(expected, 2)
      expect.soft(contrastBetween(other, one), String(one)).toBeCloseTo(expected, 2)
    }
  })

  it('of any color, lightened for a dark card, lets text be read', () => {
    fc.assert(
      fc.property(color, (any) => {
        expect(contrastBetween(lightenedFor(any, '#18211d'), '#18211d')).toBeGreaterThanOrEqual(
          READABLE_CONTRAST,
        )
      }),
    )
  })
})
