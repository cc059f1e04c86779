// The test of the cluster imports this.
export function withoutChance<Made>(make: () => Promise<Made>): Promise<Made>
export function packCluster(folder: string): Buffer
