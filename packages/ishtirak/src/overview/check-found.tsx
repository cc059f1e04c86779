// The result of a check, and its remedy, in the operator's language.

import type { Check } from '../acts/check.js'
import { type AccountKind, INSTRUMENTS } from '../core/account.js'
import type { Locale } from '../core/locale.js'
import { disabledInWords } from '../events/inbox.js'
import { isConsoleKey } from '../i18n/console.js'
import { inList } from '../i18n/formats.js'
import { instrumentName } from '../i18n/messages.js'
import { isOwner, Text, Under, type View } from '../pages/console-frame.js'
import type { AllPages } from './all-pages.js'

const VARIABLE = /[A-Z]{2,}_[A-Z]/

export function CheckFound({ pages, view, check }: { pages: AllPages; view: View; check: Check }) {
  const { say, locale } = view
  const { code, data } = check
  const inWords: Readonly<Record<string, (value: string) => string>> = {
    since: view.moment,
    at: view.moment,
    until: (day) => pages.formats.day(pages.wallClock.dayOf(day)?.from ?? 0, locale),
    why: (why) => disabledInWords(view, why),
    amount: (amount) => view.money(Number.parseInt(amount, 10)),
    seconds: (seconds) => view.number(Number(seconds)),
    kinds: (kinds) => kindsInWords(kinds, locale),
  }
  const values = Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, inWords[name]?.(value) ?? value]),
  )
  const remedy = `remedy_${code}`
  const text = check.remedy !== '' && isConsoleKey(remedy) ? say(remedy, values) : null
  // Only owners can set a variable of the environment.
  const told = text !== null && VARIABLE.test(text) && !isOwner(view) ? null : text
  return (
    <>
      {data.gateway === undefined ? null : <Text>{`${data.gateway}: `}</Text>}
      <Text>{say(`check_${code}`, values)}</Text>
      <Under>{told}</Under>
    </>
  )
}

/** `kinds`: the kinds of account, separated by commas. */
function kindsInWords(kinds: string, locale: Locale): string {
  const instruments = new Map(Object.entries(INSTRUMENTS))
  const names = kinds
    .split(', ')
    .map((kind) => instrumentName(instruments.get(kind as AccountKind) ?? kind, locale))
  return inList(names, locale)
}
