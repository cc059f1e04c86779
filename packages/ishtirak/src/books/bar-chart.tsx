// Draws bars on the server: what adds up stands above a line, what is taken off below it. The chart is
// readable without colors, as on paper. Its title and description are for readers who do not see it; the
// table beside it has every figure.
import type { View } from '../pages/console-frame.js'

/** A bar and the gap beside it are 10 wide. */
const [STEP, BAR, HEIGHT] = [10, 7, 100]

interface Bar {
  readonly title: string
  /** Centimes of each part, drawn upwards from the line. */
  readonly up: readonly number[]
  /** Centimes, drawn downwards from the line. */
  readonly down: number
  /** The label below the bar. */
  readonly tick: string
}

interface ChartOf {
  readonly view: View
  readonly title: string
  readonly text: string
  readonly bars: readonly Bar[]
  /** The class and the label of each part. */
  readonly parts: readonly (readonly [name: string, words: string])[]
}

export function BarChart({ view, title, text, bars, parts }: ChartOf) {
  const [best, deepest] = [topOf(bars), Math.max(0, ...bars.map(({ down }) => down))]
  const scale = HEIGHT / Math.max(1, best + deepest)
  const line = best * scale
  return (
    <figure class="chart">
      <p class="soft small" aria-hidden="true" safe>
        {view.say('chartPeak', { sum: view.centimes(best) })}
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
          {text}
        </desc>
        {bars.map((bar, n) => (
          <Parts {...{ bar, parts, line, scale }} left={n * STEP + (STEP - BAR) / 2} />
        ))}
        <path d={`M0 ${short(line)}H${bars.length * STEP}`} />
      </svg>
      <div class="ticks soft small" aria-hidden="true">
        {bars.map(({ tick }) => (
          <span safe>{tick}</span>
        ))}
      </div>
      <figcaption class="soft small">
        {parts.map(([name, words]) => (
          <span class={`key ${name}`} safe>
            {words}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

const totalOf = ({ up }: Bar) => up.reduce((sum, part) => sum + part, 0)
const topOf = (bars: readonly Bar[]) => Math.max(0, ...bars.map(totalOf))

function Parts(of: Pick<ChartOf, 'parts'> & { bar: Bar; left: number; line: number; scale: number }) {
  const { bar, parts, left, line, scale } = of
  if (totalOf(bar) === 0 && bar.down === 0) return null
  let top = line
  const rect = (name: string | undefined, y: number, height: number) =>
    height === 0 ? null : <rect class={name} x={left} y={short(y)} width={BAR} height={short(height)} />
  return (
    <g>
      <title safe>{bar.title}</title>
      {bar.up.map((part, n) => {
        top -= part * scale
        return rect(parts[n]?.[0], top, part * scale)
      })}
      {rect('back', line, bar.down * scale)}
    </g>
  )
}

const short = (length: number) => Math.round(length * 100) / 100
