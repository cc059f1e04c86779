// What is in use, against what the plan in effect allows. Of limits per project the one in use most is shown.
import type { Overview } from '../../billing/read-overview.js'
import { LIMIT_NAMES, type LimitName } from '../../domain/plan.js'
import type { Section } from './section.js'
import { limitInWords } from './words.js'

export function UsageBars(section: Section) {
  return (
    <section class="card" aria-labelledby="usage">
      <h2 id="usage" safe>
        {section.say('usageTitle')}
      </h2>
      <ul class="usage">
        {LIMIT_NAMES.map((limit) => (
          <UsageBar {...section} limit={limit} />
        ))}
      </ul>
    </section>
  )
}

function UsageBar({ pages, view, say, limit }: Section & { readonly limit: LimitName }) {
  const { formats } = pages
  const { overview, locale } = view
  const max = overview.subscription.plan.limits[limit]
  const { used, project } = usedOf(overview, limit)
  const words = {
    used: limitInWords(formats, limit, used, locale),
    max: limitInWords(formats, limit, max, locale),
  }
  return (
    <li>
      <div class="line">
        <span id={`usage-${limit}`} safe>
          {say(limit)}
        </span>
        <b safe>{say('usedOf', words)}</b>
      </div>
      <progress
        class={used >= max ? 'full' : ''}
        value={Math.min(used, max)}
        // A plan may allow none of a thing; a bar of nothing is full.
        max={Math.max(1, max)}
        aria-labelledby={`usage-${limit}`}
      />
      {limit === 'deploys_per_day' ? (
        <p class="small soft" safe>
          {say('resetsAt', { time: formats.time(overview.resetsAt, locale) })}
        </p>
      ) : null}
      {project === null ? null : (
        <p class="small soft" safe>
          {say('inProject', { project })}
        </p>
      )}
    </li>
  )
}

function usedOf({ usage }: Overview, limit: LimitName): { used: number; project: string | null } {
  if (limit !== 'domains_per_project') return { used: usage[limit], project: null }
  const [most] = Object.entries(usage[limit]).sort(([, one], [, other]) => other - one)
  return most ? { used: most[1], project: most[0] } : { used: 0, project: null }
}
