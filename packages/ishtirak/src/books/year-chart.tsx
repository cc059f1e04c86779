// The months of a year as bars, drawn on the server: what was paid, by method one above the other. The table
// below it has every figure; its title and description are for readers who do not see it.
import type { View } from '../pages/console-frame.js'
import type { YearFigures, YearMonth } from './year.js'

/** A bar and the gap beside it are 10 wide. */
const [STEP, BAR, HEIGHT] = [10, 7, 100]

interface Shown {
  readonly view: View
  readonly figures: YearFigures
}

export function YearChart({ view, figures: { months } }: Shown) {
  const { say, centimes: money } = view
  const best = months.reduce((one, other) => (other.paid > one.paid ? other : one))
  const scale = HEIGHT / Math.max(1, best.paid)
  const kinds = best.by_method.map(({ method }) => method)
  return (
    <figure class="chart">
      <p class="soft small" aria-hidden="true" safe>
        {say('chartPeak', { sum: money(best.paid) })}
      </p>
      <svg
        viewBox={`0 0 ${months.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-labelledby="chart-title chart-text"
      >
        <title id="chart-title" safe>
          {say('yearChart')}
        </title>
        <desc id="chart-text" safe>
          {say('yearChartText', { month: view.month(best.from), best: money(best.paid) })}
        </desc>
        {months.map((month, n) => (
          <g>
            <title safe>{say('yearBar', { month: view.month(month.from), paid: money(month.paid) })}</title>
            <Parts month={month} left={n * STEP + (STEP - BAR) / 2} scale={scale} />
          </g>
        ))}
        <path d={`M0 ${HEIGHT}H${months.length * STEP}`} />
      </svg>
      <div class="ticks soft small" aria-hidden="true">
        {months.map(({ month }) => (
          <span>{month.slice(5)}</span>
        ))}
      </div>
      <figcaption class="soft small">
        {kinds.map((kind, n) => (
          <span class={`key part-${n}`} safe>
            {say(`way_${kind}`)}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

function Parts({ month, left, scale }: { month: YearMonth; left: number; scale: number }) {
  let top = HEIGHT
  return (
    <>
      {month.by_method.map(({ paid }, n) => {
        const height = paid * scale
        top -= height
        return height === 0 ? null : (
          <rect class={`part-${n}`} x={left} y={short(top)} width={BAR} height={short(height)} />
        )
      })}
    </>
  )
}

const short = (length: number) => Math.round(length * 100) / 100
