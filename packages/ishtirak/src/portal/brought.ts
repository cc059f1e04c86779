// What the capabilities bring to the pages, given the parts of the service.
import type { Capability } from '../acts/capability.js'
import type { BillingError, ErrorCode } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import type { App } from '../http/app.js'
import { sayFor } from '../i18n/messages.js'
import type { PageParts, Pages } from '../pages/portal-frame.js'
import type { Answered, PortalKinds, PortalPart, SeenPortal } from '../pages/portal-kinds.js'

/** The payment methods and the fields of an order that capabilities add. */
export function orderPartsOf<Deps>(
  deps: Deps,
  capabilities: readonly Capability<Deps>[],
): Pick<PageParts, 'shownMethods' | 'orderFields'> {
  const kinds = kindsOf(capabilities)
  return {
    shownMethods: kinds.flatMap(({ shownMethods }) => shownMethods?.(deps) ?? []),
    orderFields: kinds.flatMap(({ orderField }) => orderField?.(deps) ?? []),
  }
}

/** Reads the parts of one user's page. */
export function partsReader<Deps>(deps: PageParts & Deps, capabilities: readonly Capability<Deps>[]) {
  const kinds = kindsOf(capabilities)
  return async (seen: SeenPortal): Promise<readonly PortalPart[]> => {
    const parts: PortalPart[] = []
    for (const { read } of kinds) if (read) parts.push(await read(deps, seen))
    return parts
  }
}

type SavedForm = Readonly<Record<string, string>>
type Reading = Pick<Answered, 'session' | 'locale'>

/** Everything that capabilities add to the routes of the portal's pages. */
export type BroughtToPortal = ReturnType<typeof broughtTo>

export function broughtTo<Deps>(pages: Pages & Deps, capabilities: readonly Capability<Deps>[]) {
  const kinds = kindsOf(capabilities)
  const refusal = (code: ErrorCode) => kinds.flatMap(({ refusals }) => refusals?.[code] ?? [])[0]
  return {
    addRoutes: (app: App) => {
      for (const { routes } of kinds) routes?.(app, pages)
    },
    paths: kinds.flatMap(({ paths = [] }) => paths),
    /** The page that a saved form led to; null: no capability answers it. */
    answer: (saved: SavedForm, by: Reading) => {
      for (const [field, answer] of kinds.flatMap(({ answers = {} }) => Object.entries(answers))) {
        const value = saved[field]
        if (value !== undefined) return answer(pages, { ...by, value })
      }
      return null
    },
    /** The field of the refused form that the page of this refusal needs; undefined: none. */
    keeps: (code: ErrorCode) => refusal(code)?.form?.keeps,
    /** The words that replace the usual ones of a refusal. Nothing is read for them. */
    words: (error: BillingError, locale: Locale) =>
      refusal(error.code)?.words?.(error, locale, sayFor(pages.seller.identity, locale)),
    /** The same for the page after a form, for which the capability may read. */
    wordsAfter: (code: ErrorCode, saved: SavedForm, by: Reading) => {
      const form = refusal(code)?.form
      return form?.page(pages, { ...by, value: saved[form.keeps] ?? '' })
    },
  }
}

function kindsOf<Deps>(capabilities: readonly Capability<Deps>[]): readonly PortalKinds<Deps>[] {
  return capabilities.flatMap(({ portal }) => portal ?? [])
}
