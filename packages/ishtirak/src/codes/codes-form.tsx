// The form that makes a batch of codes in the console. Its answer is the sheet of the codes, shown this once.
import type { Field } from '../acts/act-page.js'
import type { ActForm } from '../acts/form.js'
import { CODE_KINDS } from '../core/code.js'
import { isLocale, LOCALES, type Locale } from '../core/locale.js'
import type { Offer } from '../core/plan.js'
import { inParts, termInWords } from '../i18n/formats.js'
import { CATALOGS, planName } from '../i18n/messages.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { CodesDeps, WantedBatch } from './code-deps.js'
import { codeSheet } from './code-sheet.js'
import { givesInWords, validInWords } from './code-words.js'

/** A page of more is too long; a command makes them. */
const ON_A_SHEET_MAX = 1_000

export const codesForm: ActForm<CodesDeps, unknown, WantedBatch & { readonly free: readonly Offer[] }> = {
  isPossible: ({ codeKeys }) => codeKeys.length > 0,
  asks: 'count',
  fields: async (pages, view) => fieldsOf(pages, view),
  inWords: (pages, view, { detail }) => {
    const { say, locale } = view
    const count = (number: number) => pages.formats.number(number, locale)
    return {
      facts: [
        [say('codesGive'), givesInWords(pages, view, detail)],
        ...(detail.free.length > 0 ? [[say('codesFree'), freeInWords(detail.free, locale)] as const] : []),
        [say('codeUses'), count(detail.uses)],
        [say('codeUsesEach'), count(detail.usesPerUser)],
        [say('codesValid'), validInWords(pages, view, detail)],
      ],
    }
  },
  answers: (pages, view, { outcome, typed }) => {
    const { cards = '', why = '' } = typed
    // What `run` of the act gives.
    const { batch_id, codes, batch } = outcome as Made
    const locale = isLocale(cards) ? cards : view.locale
    return codeSheet(pages, view, { batchId: batch_id, codes, batch, why, locale })
  },
}

function freeInWords(offers: readonly Offer[], locale: Locale): string {
  const names = offers.map(
    ({ plan, months }) => `${planName(plan.name, locale)} (${termInWords(months, locale)})`,
  )
  return inParts(names, locale)
}

interface Made {
  readonly batch_id: string
  readonly codes: readonly string[]
  readonly batch: WantedBatch
}

function fieldsOf({ catalogue }: ConsolePages, { say, locale }: View): readonly Field[] {
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
