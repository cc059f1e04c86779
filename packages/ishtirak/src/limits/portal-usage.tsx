// Counted usage: a bar for each limit, in portal and console, and a notice of exceeded limits.
import { type LimitDefinition, type LimitWindow, maximumOf, type OverLimit, usesOf } from '../core/limit.js'
import type { Locale } from '../core/locale.js'
import type { Say } from '../i18n/messages.js'
import { Card, Notice, P } from '../pages/parts.js'
import type { PageParts } from '../pages/portal-frame.js'
import type { PartSection, PortalKinds } from '../pages/portal-kinds.js'
import type { Overview } from './overview.js'

/** Drawn from data that the frame has already read. */
export const limitPages: PortalKinds<unknown> = {
  read: async () => ({ warnings: OverLimitNotice, usage: UsageBars }),
}

type ShownUsage = Pick<Overview, 'subscription' | 'limits' | 'usage' | 'overLimits' | 'resetsAt'>

export interface UsageSection {
  readonly pages: Pick<PageParts, 'formats'>
  readonly view: { readonly locale: Locale; readonly overview: ShownUsage }
  readonly say: Say
  /** Replaces the title that users read. */
  readonly title?: string
}

/** For a limit with `per`, every exceeded one is shown, else the one with the most usage. */
export function UsageBars(section: UsageSection) {
  const { overview } = section.view
  return (
    <Card id="usage" title={section.title ?? section.say('usageTitle')}>
      <ul class="usage">
        {overview.limits.flatMap((limit) =>
          shownUses(overview, limit).map((use, index) => (
            <UsageBar section={section} use={use} limit={limit} id={`usage-${limit.name}-${index}`} />
          )),
        )}
      </ul>
    </Card>
  )
}

type Use = Pick<OverLimit, 'scopeId' | 'used'>

function shownUses({ usage, overLimits }: ShownUsage, limit: LimitDefinition): readonly Use[] {
  const over = overLimits.filter((found) => found.limit === limit)
  if (over.length > 0) return over
  const [most] = usesOf(usage, limit).toSorted((one, other) => other.used - one.used)
  return [most ?? { used: 0, scopeId: null }]
}

function UsageBar(of: {
  readonly section: UsageSection
  readonly use: Use
  readonly limit: LimitDefinition
  readonly id: string
}) {
  const { section, use, limit, id } = of
  const { view, say } = section
  const { used, scopeId } = use
  const { overview, locale } = view
  const max = maximumOf(overview.subscription.plan.limits, limit)
  const words = usageInWords(section, { limit, used, max })
  const tone = toneOf(used, max)
  const notes = [
    ...(max === 0 && used === 0 ? [say('notIncluded')] : []),
    ...(limit.window === null || max === 0 ? [] : [resetInWords(section, limit.window)]),
    ...(scopeId === null ? [] : [scopeInWords(section, limit, scopeId)]),
  ]
  return (
    <li>
      <div class="row">
        <span id={id} safe>
          {limit.words[locale]}
        </span>
        <b safe>{say('usedOf', words)}</b>
      </div>
      <progress
        class={tone}
        value={Math.min(used, max)}
        // A plan may allow 0, and the bar of 0 is empty.
        max={Math.max(1, max)}
        aria-labelledby={id}
      />
      {tone === 'full' || tone === 'over' ? (
        <P class={`small ${tone}`}>{tone === 'over' ? say('overBy', words) : say('isFull')}</P>
      ) : null}
      {notes.map((note) => (
        <P class="small soft">{note}</P>
      ))}
    </li>
  )
}

const NEAR = 0.8

function toneOf(used: number, max: number): '' | 'near' | 'full' | 'over' {
  if (used > max) return 'over'
  // A limit of 0 is not used up.
  if (used === max) return max === 0 ? '' : 'full'
  return used >= max * NEAR ? 'near' : ''
}

/** When a counter starts again: the time for a day, the date for a month. */
function resetInWords({ pages, view, say }: UsageSection, window: LimitWindow): string {
  const { formats } = pages
  const { locale, overview } = view
  const at = overview.resetsAt[window]
  if (window === 'month') return say('resetsOn', { date: formats.day(at, locale) })
  const time = formats.time(at, locale)
  return say(time === '00:00' ? 'resetsAtMidnight' : 'resetsAt', { time })
}

/** `in project shop`, or `Region: eu-1` for other kinds. */
function scopeInWords({ view, say }: UsageSection, limit: LimitDefinition, id: string): string {
  const scope = limit.perWords?.[view.locale]
  return scope === undefined ? say('inProject', { project: id }) : say('inScope', { scope, id })
}

function usageInWords(
  { pages, view }: UsageSection,
  of: { limit: LimitDefinition; used: number; max: number },
) {
  const show = (count: number) => pages.formats.figure(count, of.limit.unit, view.locale, of.max)
  return { used: show(of.used), max: show(of.max), by: show(Math.max(0, of.used - of.max)) }
}

function OverLimitNotice(section: PartSection) {
  const { view, say } = section
  const { overLimits } = view.overview
  if (overLimits.length === 0) return null
  return (
    <Notice tone="warn" title={say('overLimitTitle')} text={say('overLimitText')}>
      <ul class="marked">
        {overLimits.map((over) => {
          const words = limitInWords(section, over.limit, over.scopeId)
          return <li safe>{say('overLimitLine', { limit: words, ...usageInWords(section, over) })}</li>
        })}
      </ul>
    </Notice>
  )
}

function limitInWords(section: PartSection, limit: LimitDefinition, scopeId: string | null): string {
  const name = limit.words[section.view.locale]
  return scopeId === null ? name : `${name} (${scopeInWords(section, limit, scopeId)})`
}
