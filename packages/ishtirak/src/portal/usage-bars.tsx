// What is in use, against what the plan in effect allows. Of a limit per project every project above it is shown, else the
// one in use most.

import { LIMIT_NAMES, type LimitName } from '../core/plan.js'
import type { Overview } from '../limits/overview.js'
import { type Section, usageInWords } from './section.js'

export function UsageBars(section: Section) {
  const { overview } = section.view
  return (
    <section class="card" aria-labelledby="usage">
      <h2 id="usage" safe>
        {section.say('usageTitle')}
      </h2>
      <ul class="usage">
        {LIMIT_NAMES.flatMap((limit) =>
          usesOf(overview, limit).map((use, index) => (
            <UsageBar {...section} limit={limit} id={`usage-${limit}-${index}`} {...use} />
          )),
        )}
      </ul>
    </section>
  )
}

interface Use {
  readonly used: number
  readonly project: string | null
}

function UsageBar(of: Section & Use & { readonly limit: LimitName; readonly id: string }) {
  const { view, say, limit, id, used, project } = of
  const max = view.overview.subscription.plan.limits[limit]
  const words = usageInWords(of, { limit, used, max })
  const tone = toneOf(used, max)
  return (
    <li>
      <div class="line">
        <span id={id} safe>
          {say(limit)}
        </span>
        <b safe>{say('usedOf', words)}</b>
      </div>
      <progress
        class={tone}
        value={Math.min(used, max)}
        // A plan may allow none of a thing; a bar of nothing is full.
        max={Math.max(1, max)}
        aria-labelledby={id}
      />
      {tone === '' || tone === 'near' ? null : (
        <p class={`small ${tone}`} safe>
          {tone === 'over' ? say('overBy', words) : say('isFull')}
        </p>
      )}
      {limit === 'deploys_per_day' ? (
        <p class="small soft" safe>
          {resetWords(of)}
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

function resetWords({ pages, view, say }: Section): string {
  const time = pages.formats.time(view.overview.resetsAt, view.locale)
  return time === '00:00' ? say('resetsAtMidnight') : say('resetsAt', { time })
}

/** From this share on a bar warns that the limit is near. */
const NEAR = 0.8

function toneOf(used: number, max: number): '' | 'near' | 'full' | 'over' {
  if (used > max) return 'over'
  if (used === max) return 'full'
  return used >= max * NEAR ? 'near' : ''
}

function usesOf({ usage, overLimits }: Overview, limit: LimitName): readonly Use[] {
  if (limit !== 'domains_per_project') return [{ used: usage[limit], project: null }]
  const over = overLimits.filter((found) => found.limit === limit)
  if (over.length > 0) return over.map(({ used, projectId }) => ({ used, project: projectId }))
  const [most] = Object.entries(usage[limit]).sort(([, one], [, other]) => other - one)
  return most ? [{ used: most[1], project: most[0] }] : [{ used: 0, project: null }]
}
