// The columns of sums that the tables of the books share.
import type { ConsoleKey } from '../i18n/console.js'
import type { Column } from '../pages/table.js'
import type { Figures } from './figures.js'

const SUMS = {
  priceHt: 'ht',
  taxTva: 'tva',
  priceTtc: 'ttc',
  stampDutySum: 'stamp_duty',
  advanceSum: 'advance',
  total: 'total',
  feesSum: 'fees',
} satisfies Partial<Record<ConsoleKey, keyof Figures>>

export function sums<Item>(
  of: (item: Item) => Figures,
  ...heads: readonly (keyof typeof SUMS)[]
): readonly Column<Item>[] {
  return heads.map((head) => ({ head, figure: (item, { centimes }) => centimes(of(item)[SUMS[head]]) }))
}
