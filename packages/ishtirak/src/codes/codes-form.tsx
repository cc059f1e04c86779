// The fields of the console's form that makes a batch of codes.
import type { Field } from '../acts/act-page.js'
import { CODE_KINDS } from '../core/code.js'
import { LOCALES } from '../core/locale.js'
import { CATALOGS, planName } from '../i18n/messages.js'
import type { ConsolePages, View } from '../pages/console-frame.js'

/** More codes make the page too long. The command line makes larger batches. */
const ON_A_SHEET_MAX = 1_000

export function newCodesFields({ catalogue }: ConsolePages, { say, locale }: View): readonly Field[] {
  const plans = catalogue.plans.filter(({ price }) => price > 0)
  const number = (name: string, label: string, more: Partial<Field> = {}): Field => ({
    ...{ name, label, value: '', type: 'number' as const, isOptional: true as const },
    ...more,
  })
  const day = (name: string, label: string): Field => ({
    ...{ name, label, value: '', type: 'date' as const, isOptional: true as const },
  })
  return [
    {
      ...{ name: 'kind', label: say('codesGive'), value: 'months', type: 'text' },
      choices: CODE_KINDS.map((kind) => [kind, say(`gives_${kind}`)] as const),
    },
    {
      ...{ name: 'plan', label: say('codePlan'), value: '', type: 'text', isOptional: true },
      choices: [['', say('any')], ...plans.map(({ id, name }) => [id, planName(name, locale)] as const)],
    },
    number('months', say('codeMonths')),
    number('percent', say('codePercent')),
    number('amount', say('codeAmount')),
    { name: 'count', label: say('codeCount'), value: '', type: 'number', most: ON_A_SHEET_MAX },
    number('uses', say('codeUses')),
    number('uses_per_user', say('codeUsesEach')),
    day('from', say('codeFrom')),
    day('until', say('codeUntil')),
    {
      ...{ name: 'cards', label: say('cardLanguage'), value: locale, type: 'text' },
      choices: LOCALES.map((one) => [one, CATALOGS[one].page.languageName] as const),
    },
  ]
}
