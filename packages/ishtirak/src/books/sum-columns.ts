// The columns of sums that the tables of the books share.
import type { ConsoleKey } from '../i18n/console.js'
import type { Column } from '../pages/table.js'
import { type Figures, sumPaid } from './figures.js'

const SUMS = {
  priceHt: ({ ht }) => ht,
  taxTva: ({ tva }) => tva,
  priceTtc: ({ ttc }) => ttc,
  stampDutySum: ({ stampDuty }) => stampDuty,
  advanceSum: ({ advance }) => advance,
  total: sumPaid,
  askedSum: ({ asked }) => asked,
  discounts: ({ discount }) => discount,
  feesSum: ({ fees }) => fees,
} satisfies Partial<Record<ConsoleKey, (figures: Figures) => number>>

export function sums<Item>(
  of: (item: Item) => Figures,
  ...heads: readonly (keyof typeof SUMS)[]
): readonly Column<Item>[] {
  return heads.map((head) => ({ head, figure: (item, { centimes }) => centimes(SUMS[head](of(item))) }))
}
