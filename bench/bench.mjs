// npm run bench -- PART [options]: one of the measurements of this folder. `PART --help` lists its options.
const PARTS = ['before', 'peers', 'growth', 'calls']
const [part] = process.argv.splice(2, 1)
if (PARTS.includes(part)) await import(`./${part}.mjs`)
else {
  process.stderr.write(`Usage: npm run bench -- PART [options]\n\nParts: ${PARTS.join(', ')}\n`)
  process.exitCode = 1
}
