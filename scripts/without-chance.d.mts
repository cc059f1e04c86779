// For the test of the cluster.
export function withoutChance<Made>(make: () => Promise<Made>): Promise<Made>
