// deploy/ has the files with which the cluster was tried, as those of its first machine.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { etcdConfiguration, haproxyConfiguration, MACHINES, patroniConfiguration } from './patroni.js'

const [first] = MACHINES

it.each([
  ['etcd', () => etcdConfiguration(first)],
  ['patroni.yml', () => patroniConfiguration(first)],
  ['haproxy.cfg', () => haproxyConfiguration()],
])('deploy/ has %s as it is written', (file, configuration) => {
  const kept = readFileSync(path.resolve(import.meta.dirname, '../../deploy', file), 'utf8')
  expect(kept).toBe(configuration())
})
