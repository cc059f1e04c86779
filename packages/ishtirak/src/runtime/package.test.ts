import { nodeProblem } from './package.js'

it('the Node that is too old is named in one sentence', () => {
  const problemOf = (version: string) => nodeProblem(version, '>=20.19.0')
  expect(['v20.19.0', 'v20.20.2', 'v22.0.0', 'v100.1.0'].map(problemOf)).toEqual(Array(4).fill(null))
  for (const version of ['v18.20.8', 'v20.18.3', 'v9.9.9'])
    expect(problemOf(version)).toBe(
      `Ishtirak needs Node 20.19 or later; this is ${version}: https://nodejs.org`,
    )
})
