import { expect, it } from 'vitest'
import { nodeProblem } from './node-version.js'

it.each(['v20.19.0', 'v20.20.2', 'v22.0.0', 'v100.1.0'])('Node %s runs it', (version) => {
  expect(nodeProblem(version, '>=20.19.0')).toBeNull()
})

it.each(['v18.20.8', 'v20.18.3', 'v9.9.9'])('Node %s does not, which one sentence says', (version) => {
  expect(nodeProblem(version, '>=20.19.0')).toBe(
    `Ishtirak needs Node 20.19 or later; this is ${version}: https://nodejs.org`,
  )
})
