// Draws the sales of days or months as bars above a line, and the refunds below it. The chart is readable
// without colors, as on paper. Its title and description are for readers who do not see it; the table beside
// it has every figure.
import type { View } from '../pages/console-frame.js'
import { sumUp } from './figures.js'

/** A bar and the gap beside it are 10 wide. */
const [STEP, BAR, HEIGHT] = [10, 7, 100]

interface Bar {
  readonly name: string
  /** The label below the bar. */
  readonly tick: string
  /** Sums are in centimes. */
  readonly paid: number
  readonly refunded: number
}

export function SalesChart(of: { view: View; title: string; bars: readonly Bar[] }) {
  const { view, title, bars } = of
  const { say, centimes: money } = view
  const best = bars.reduce((one, other) => (other.paid > one.paid ? other : one))
  const scale = HEIGHT / Math.max(1, best.paid + Math.max(...bars.map(({ refunded }) => refunded)))
  const line = best.paid * scale
  const [paid, refunded] = [sumUp(bars.map((bar) => bar.paid)), sumUp(bars.map((bar) => bar.refunded))]
  const totals = { paid: money(paid), refunded: money(refunded) }
  const rect = (n: number, name: 'back' | undefined, y: number, height: number) =>
    height === 0 ? null : (
      <rect class={name} x={n * STEP + (STEP - BAR) / 2} y={short(y)} width={BAR} height={short(height)} />
    )
  return (
    <figure class="chart">
      <p class="soft small" aria-hidden="true" safe>
        {say('chartPeak', { sum: money(best.paid) })}
      </p>
      <svg
        viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-labelledby="chart-title chart-text"
      >
        <title id="chart-title" safe>
          {title}
        </title>
        <desc id="chart-text" safe>
          {say('chartText', { ...totals, name: best.name, best: money(best.paid) })}
        </desc>
        {bars.map(({ name, paid, refunded }, n) => (
          <g>
            <title safe>{say('chartBar', { name, paid: money(paid), refunded: money(refunded) })}</title>
            {rect(n, undefined, line - paid * scale, paid * scale)}
            {rect(n, 'back', line, refunded * scale)}
          </g>
        ))}
        <path d={`M0 ${short(line)}H${bars.length * STEP}`} />
      </svg>
      <div class="ticks soft small" aria-hidden="true">
        {bars.map(({ tick }) => (
          <span safe>{tick}</span>
        ))}
      </div>
      <figcaption class="soft small">
        <span class="key" safe>
          {say('chartPaid')}
        </span>
        <span class="key back" safe>
          {say('chartRefunded')}
        </span>
      </figcaption>
    </figure>
  )
}

const short = (length: number) => Math.round(length * 100) / 100
