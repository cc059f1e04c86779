// Drives two servers in turns, round by round, so that both have the same neighbours, and the same table
// sizes.
import { cpuSeconds } from './children.mjs'
import { load } from './machine.mjs'

/** Of a stock, what is spent before the clock starts. */
const WARMING = 0.2

/**
 * `sides`: {ours, other}, each {url, pid, kind, options}. `stock`: where a request can be sent once only, how
 * many of them each side has; every round takes its share. `mirrored`: a round drives other, ours, ours,
 * other, because what comes second still pays for the other's writes: one build against itself measured 0.87
 * without it.
 */
export async function compare(
  driver,
  { sides, connections, rounds, seconds, stock, mirrored = false, onRound },
) {
  const used = { ours: 1, other: 1 }
  const drive = (name, seconds, share) =>
    driveSide(driver, sides[name], { name, used, connections, seconds, share })
  // Plans are made, code is compiled, tokens are remembered: from here on a round is like another. A click on
  // upgrade takes a thousand of them until it takes no less any more.
  for (const name of ['other', 'ours'])
    await drive(name, Math.min(2, seconds), stock && Math.floor(stock * WARMING))
  const share = stock && Math.floor((stock * (1 - WARMING)) / rounds / (mirrored ? 2 : 1))
  const results = []
  for (let round = 0; round < rounds; round++) {
    const turn = round % 2 === 0 ? ['other', 'ours'] : ['ours', 'other']
    const taken = { ours: [], other: [] }
    const atStart = load()
    for (const name of mirrored ? [...turn, ...turn.toReversed()] : turn)
      taken[name].push(await drive(name, seconds, share))
    results.push({ load: atStart, ours: meanOf(taken.ours), other: meanOf(taken.other) })
    onRound?.(results.length)
  }
  return results
}

/** Of each figure of the drives of one side. */
function meanOf(drives) {
  const figures = Object.keys(drives[0])
  const mean = (name) => drives.reduce((sum, drive) => sum + drive[name], 0) / drives.length
  return Object.fromEntries(figures.map((name) => [name, mean(name)]))
}

async function driveSide(driver, side, { name, used, connections, seconds, share }) {
  const { url, pid, kind, options } = side
  const from = used[name]
  if (share !== undefined) used[name] += share
  const cpuBefore = cpuSeconds(pid)
  const result = await driver.ask({
    url,
    kind,
    connections,
    ...(share === undefined ? { seconds } : { amount: Math.floor(share / connections) * connections }),
    options: { ...options, from },
  })
  return { ...result, cpuMicros: ((cpuSeconds(pid) - cpuBefore) * 1e6) / result.answered }
}
