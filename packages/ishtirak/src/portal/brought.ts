// What the capabilities bring to the pages, given the parts of the service.
import type { Capability } from '../acts/capability.js'
import type { BillingError, ErrorCode } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import type { App } from '../http/app.js'
import { sayFor } from '../i18n/messages.js'
import type { Message } from '../pages/message-pages.js'
import type { PageParts, Pages } from '../pages/portal-frame.js'
import type { Answered, PortalKinds, PortalPart, SeenPortal } from '../pages/portal-kinds.js'
import type { WayToPay } from '../pages/way-to-pay.js'

export function waysIn<Deps>(deps: Deps, capabilities: readonly Capability<Deps>[]): readonly WayToPay[] {
  return kindsOf(capabilities).flatMap(({ ways }) => ways?.(deps) ?? [])
}

/** Of the page of one user. */
export function partsReader<Deps>(deps: PageParts & Deps, capabilities: readonly Capability<Deps>[]) {
  const kinds = kindsOf(capabilities)
  return async (seen: SeenPortal): Promise<readonly PortalPart[]> => {
    const parts: PortalPart[] = []
    for (const { read } of kinds) if (read) parts.push(await read(deps, seen))
    return parts
  }
}

/** To the routes of the pages. */
export interface BroughtToPortal {
  readonly addRoutes: (app: App) => void
  /** Of what was saved of a form; null: none of them answers it. */
  readonly answer: (saved: SavedForm, by: Reading) => Promise<string> | null
  /** Of the form that was refused: what its page needs. */
  readonly keeps: (code: ErrorCode) => string | undefined
  /** In place of the usual words. Reads nothing. */
  readonly words: (error: BillingError, locale: Locale) => Partial<Message> | undefined
  /** The same on the page after a form. */
  readonly wordsAfter: (
    code: ErrorCode,
    saved: SavedForm,
    by: Reading,
  ) => Promise<Partial<Message>> | undefined
}

type SavedForm = Readonly<Record<string, string>>
type Reading = Pick<Answered, 'session' | 'locale'>

export function broughtTo<Deps>(
  pages: Pages & Deps,
  capabilities: readonly Capability<Deps>[],
): BroughtToPortal {
  const kinds = kindsOf(capabilities)
  const refusal = (code: ErrorCode) => kinds.flatMap(({ refusals }) => refusals?.[code] ?? [])[0]
  return {
    addRoutes: (app) => {
      for (const { routes } of kinds) routes?.(app, pages)
    },
    answer: (saved, by) => {
      for (const [field, answer] of kinds.flatMap(({ answers = {} }) => Object.entries(answers))) {
        const value = saved[field]
        if (value !== undefined) return answer(pages, { ...by, value })
      }
      return null
    },
    keeps: (code) => refusal(code)?.form?.keeps,
    words: (error, locale) =>
      refusal(error.code)?.words?.(error, locale, sayFor(pages.seller.identity, locale)),
    wordsAfter: (code, saved, by) => {
      const form = refusal(code)?.form
      return form?.page(pages, { ...by, value: saved[form.keeps] ?? '' })
    },
  }
}

function kindsOf<Deps>(capabilities: readonly Capability<Deps>[]): readonly PortalKinds<Deps>[] {
  return capabilities.flatMap(({ portal }) => portal ?? [])
}
