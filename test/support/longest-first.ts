import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Of the project that takes longest, the files that take longest: about 20 s each and more. */
const LONGEST = [
  'packages/installed',
  'deploy/container',
  'browser/console',
  'process/restart',
  'faults/kill',
  'plans/plans',
  'process/operator-cli',
  'browser/purchase',
  'embedded/damaged-folder',
  'simulation/simulation',
  'limits/operations.sql',
  'portal/portal',
  'fuzz/fuzz',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

function rankOf({ project, moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.includes(name))
  const within = place === -1 ? LONGEST.length : place
  return within + (project.name === 'system' ? 0 : 1_000)
}
