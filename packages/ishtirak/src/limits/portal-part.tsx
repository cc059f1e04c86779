// Counted usage on the portal: the bars, limits that are full, and limits that are exceeded.
import { type LimitDefinition, maximumOf, usesOf } from '../core/limit.js'
import { Notice } from '../pages/portal-frame.js'
import type { PartSection, PortalKinds } from '../pages/portal-kinds.js'
import { scopeInWords, UsageBars, usageInWords } from './portal-usage.js'

/** Drawn from data that the frame has already read. */
export const limitPages: PortalKinds<unknown> = {
  read: async () => ({
    state: (section) => <FullLimits {...section} />,
    warnings: (section) => <OverLimitNotice {...section} />,
    usage: (section) => <UsageBars {...section} />,
  }),
}

/** Limits that are fully used, such as 2 of 2 projects. */
function FullLimits(section: PartSection) {
  const { view, say } = section
  const { limits, usage, subscription } = view.overview
  return (
    <>
      {limits.flatMap((limit) => {
        const max = maximumOf(subscription.plan.limits, limit)
        const full = usesOf(usage, limit).filter(({ used }) => used === max && max > 0)
        return full.map(({ used, scopeId }) => (
          <p class="full" safe>
            {say('fullLine', {
              limit: limitInWords(section, limit, scopeId),
              ...usageInWords(section, { limit, used, max }),
            })}
          </p>
        ))
      })}
    </>
  )
}

/** Each exceeded limit, by how much, and what to do. */
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

/** `Projects`, `Domains per project (in project shop)`. */
function limitInWords(section: PartSection, limit: LimitDefinition, scopeId: string | null): string {
  const name = limit.words[section.view.locale]
  return scopeId === null ? name : `${name} (${scopeInWords(section, limit, scopeId)})`
}
