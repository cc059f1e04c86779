// npm run bench -- pictures artifacts/growth-….json: keeps the figures of these runs in bench/results, in the
// place of those that a path had, and draws all that is kept into docs/internals/pictures.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { draw } from './support/draw.mjs'
import { summarize } from './support/report.mjs'

const kept = fileURLToPath(new URL('./results/', import.meta.url))
const pictures = fileURLToPath(new URL('../docs/internals/pictures/', import.meta.url))
const read = (file) => JSON.parse(readFileSync(file, 'utf8'))

for (const file of process.argv.slice(2)) {
  const [name] = path.basename(file).split('-', 1)
  const { results } = read(file)
  // Growth keeps the rounds by path; the others have a list with summaries.
  const taken = Array.isArray(results)
    ? results
    : Object.entries(results).map(([path, rounds]) => ({ name: path, summary: summarize(rounds) }))
  const result = read(path.join(kept, `${name}.json`))
  for (const { name, summary } of taken) {
    const { ratio, lowest, highest } = summary
    const row = result.rows.find((one) => one.name === name)
    if (row) Object.assign(row, { ratio, lowest, highest })
    else console.log(`${file}: bench/results has no path ${name}`)
  }
  writeFileSync(path.join(kept, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`)
}
mkdirSync(pictures, { recursive: true })
for (const file of readdirSync(kept)) {
  const picture = path.join(pictures, file.replace(/json$/, 'svg'))
  writeFileSync(picture, draw(read(path.join(kept, file))))
  console.log(picture)
}
