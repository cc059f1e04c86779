// Draws kept results as SVG: ratios as points with their spread on a logarithmic scale, sizes as bars. Light
// and dark, as the reader's system is.

const WIDTH = 760
const LEFT = 250
const RIGHT = 40
const ROW = 28
const TOP = 76

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #12231b }
.title { font-size: 16px; font-weight: 600 }
.soft { fill: #4b5c53 }
.page { fill: #fff }
.line { stroke: #b8c4bd }
.mark { fill: #0a5c3b; stroke: #0a5c3b }
.more { fill: #8fc1a9 }
.aim { stroke: #b45c00 }
@media (prefers-color-scheme: dark) {
text { fill: #e8efeb }
.soft { fill: #a9b8b0 }
.page { fill: #18211d }
.line { stroke: #4b5c53 }
.mark { fill: #7fd1a6; stroke: #7fd1a6 }
.more { fill: #2b7a57 }
.aim { stroke: #ffb454 }
}`

/** `result`: a file of bench/results, with `rows` (ratios) or `bars` (bytes). */
export const draw = (result) => (result.bars ? drawBars(result) : drawRatios(result))

function drawRatios({ title, note, rows }) {
  const values = rows.flatMap(({ lowest, highest, aim = 1 }) => [lowest, highest, aim, 1])
  const [least, most] = [Math.log(Math.min(...values) / 1.1), Math.log(Math.max(...values) * 1.1)]
  const x = (ratio) => point(LEFT + ((Math.log(ratio) - least) / (most - least)) * (WIDTH - LEFT - RIGHT))
  const bottom = TOP + rows.length * ROW
  const drawn = rows.map(({ name, ratio, lowest, highest, aim }, index) => {
    const y = TOP + index * ROW + ROW / 2
    return [
      text(LEFT - 60, y + 4, name, 'end'),
      text(LEFT - 12, y + 4, ratio < 10 ? ratio.toFixed(2) : ratio, 'end', 'soft'),
      `<path class="mark" stroke-width="2" d="M${x(lowest)} ${y}H${x(highest)}"/>`,
      `<circle class="mark" cx="${x(ratio)}" cy="${y}" r="5"/>`,
      aim === undefined ? '' : `<path class="aim" stroke-width="2" d="M${x(aim)} ${y - 9}v18"/>`,
    ].join('')
  })
  const said = `${note}. Point: median; line: lowest to highest; upright: aim`
  return picture({ title, said, bottom }, [
    `<path class="line" d="M${x(1)} ${TOP - 4}V${bottom}"/>`,
    text(x(1), bottom + 16, '1 = equal', 'middle', 'soft'),
    ...drawn,
  ])
}

function drawBars({ title, note, bars }) {
  const most = Math.max(...bars.map(({ rows, indexes }) => rows + indexes))
  const length = (bytes) => point((bytes / most) * (WIDTH - LEFT - RIGHT))
  const drawn = bars.map(({ name, rows, indexes }, index) => {
    const y = TOP + index * ROW
    return [
      text(LEFT - 60, y + ROW / 2 + 4, name, 'end'),
      text(LEFT - 12, y + ROW / 2 + 4, rows + indexes, 'end', 'soft'),
      `<rect class="mark" stroke="none" x="${LEFT}" y="${y + 5}" width="${length(rows)}" height="18"/>`,
      `<rect class="more" x="${LEFT + length(rows)}" y="${y + 5}" width="${length(indexes)}" height="18"/>`,
    ].join('')
  })
  const said = `${note}. Dark part: rows; light part: indexes`
  return picture({ title, said, bottom: TOP + bars.length * ROW }, drawn)
}

function picture({ title, said, bottom }, parts) {
  const height = bottom + 28
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${title}</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}" rx="8"/>`,
    text(20, 30, title, 'start', 'title'),
    text(20, 52, said, 'start', 'soft'),
    ...parts,
    '</svg>',
  ].join('\n')}\n`
}

const point = (value) => Number(value.toFixed(1))

const text = (x, y, said, anchor, kind = '') =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}"${kind && ` class="${kind}"`}>${said}</text>`
