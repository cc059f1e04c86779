// What the portal's page and its sections share: what was read, and what capabilities bring to a place.
import type { TimeEntry } from '../core/time-list.js'
import type { Say } from '../i18n/messages.js'
import type { PageParts } from '../pages/portal-frame.js'
import type { PartView, PortalPart } from '../pages/portal-kinds.js'

export interface PortalView extends PartView {
  /** The target of "back"; null: an operator views the page. */
  readonly backUrl: string | null
  /** All time that was paid or granted, in order. */
  readonly timeList: readonly TimeEntry[]
}

export interface PortalSection {
  readonly pages: PageParts
  readonly view: PortalView
  readonly say: Say
}

/** Everything that the parts show at one place, in their order. */
export function PartsAt({ at, ...section }: PortalSection & { readonly at: PartName }) {
  return <>{section.view.parts.map((part) => part[at]?.(section) ?? null)}</>
}

type PartName = Exclude<keyof PortalPart, 'line' | 'document' | 'checked' | 'isOpen' | 'pages'>
