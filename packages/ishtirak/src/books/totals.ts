// What is declared of a month when it is closed, and whether its documents still add up to that.
import { sumFigures, type Totals } from './figures.js'
import type { MonthFigures } from './months.js'

type Totaled = Pick<MonthFigures, 'paid' | 'refunded' | 'afterClosing' | 'received' | 'owed'>

export function totalsOf({ paid, refunded, afterClosing, received, owed }: Totaled): Totals {
  const late = sumFigures(afterClosing?.months ?? [])
  return {
    ...{ sold: paid.count, ht: paid.ht, tva: paid.tva, ttc: paid.ttc, stamp_duty: received.stampDuty },
    ...{ refunded_ht: refunded.ht, refunded_tva: refunded.tva, refunded_ttc: refunded.ttc },
    ...{ late_tva: late.tva, late_ttc: late.ttc },
    ...{ received: received.total, owed: (owed?.owed ?? 0) * 100 },
  }
}

/** Those that the documents of the closed month add up to otherwise now. */
export function differing(figures: Totaled, declared: Totals): readonly (keyof Totals)[] {
  const now = totalsOf(figures)
  return Object.keys(declared).filter(
    (name): name is keyof Totals => Object(now)[name] !== Object(declared)[name],
  )
}
