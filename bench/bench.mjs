// npm run bench -- PART [options]: one of the benchmarks of this folder; without a part, that of run.mjs.
const [part = '--'] = process.argv.slice(2)
const isPart = !part.startsWith('-')
if (isPart) process.argv.splice(2, 1)
const name = isPart ? part : 'run'
await import(name === 'peers' ? './peers/run.mjs' : `./${name}.mjs`)
