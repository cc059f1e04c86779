// The test of the cluster imports this.
import type { migrate, openFolder } from 'ishtirak/internal'

export function makeReadyMade(service: {
  readonly openFolder: typeof openFolder
  readonly migrate: typeof migrate
}): Promise<Buffer>
export function withoutChance<Made>(make: () => Promise<Made>): Promise<Made>
export function packCluster(folder: string): Buffer
