// The days of a month as bars, drawn on the server: what was paid above the line, what was refunded below it.
// It is readable without colors, as on paper; its title and description are for readers who do not see it.

import type { View } from '../pages/console-frame.js'
import type { MonthFigures } from './months.js'

/** A bar and the gap beside it are 10 wide. */
const [STEP, BAR, HEIGHT] = [10, 7, 100]

interface Shown {
  readonly view: View
  readonly figures: MonthFigures
}

export function MonthChart(shown: Shown) {
  const { view, figures } = shown
  const { say } = view
  const days = figures.by_day.map(
    ({ from, paid, refunded }): Day => ({ name: view.day(from), paid: paid.total, refunded: refunded.ttc }),
  )
  const best = days.reduce((one, other) => (other.paid > one.paid ? other : one))
  return (
    <figure class="chart">
      <p class="soft small" aria-hidden="true" safe>
        {say('chartPeak', { sum: view.centimes(best.paid) })}
      </p>
      <Bars {...shown} days={days} best={best} />
      <div class="ticks soft small" aria-hidden="true">
        {days.map((_, n) => (
          <span>{n === 0 || (n + 1) % 5 === 0 ? String(n + 1) : ''}</span>
        ))}
      </div>
      <figcaption class="soft small">
        <span class="key" safe>
          {say('chartPaid')}
        </span>{' '}
        <span class="key back" safe>
          {say('chartRefunded')}
        </span>
      </figcaption>
    </figure>
  )
}

/** In centimes. */
interface Day {
  readonly name: string
  readonly paid: number
  readonly refunded: number
}

function Bars({ view, figures, days, best }: Shown & { days: readonly Day[]; best: Day }) {
  const { say, centimes: money } = view
  const deepest = Math.max(...days.map(({ refunded }) => refunded))
  const scale = HEIGHT / Math.max(1, best.paid + deepest)
  const line = best.paid * scale
  const { paid, refunded } = figures
  const totals = { paid: money(paid.total), refunded: money(refunded.ttc) }
  return (
    <svg
      viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-labelledby="chart-title chart-text"
    >
      <title id="chart-title" safe>
        {say('chartTitle', { month: view.month(figures.from) })}
      </title>
      <desc id="chart-text" safe>
        {say('chartText', { ...totals, day: best.name, best: money(best.paid) })}
      </desc>
      {days.map((day, n) =>
        day.paid === 0 && day.refunded === 0 ? null : (
          <g>
            <title safe>
              {say('dayBar', { day: day.name, paid: money(day.paid), refunded: money(day.refunded) })}
            </title>
            <rect
              x={left(n)}
              y={short(line - day.paid * scale)}
              width={BAR}
              height={short(day.paid * scale)}
            />
            {day.refunded === 0 ? null : (
              <rect
                class="back"
                x={left(n)}
                y={short(line)}
                width={BAR}
                height={short(day.refunded * scale)}
              />
            )}
          </g>
        ),
      )}
      <path d={`M0 ${short(line)}H${days.length * STEP}`} />
    </svg>
  )
}

const left = (n: number) => n * STEP + (STEP - BAR) / 2
const short = (length: number) => Math.round(length * 100) / 100
