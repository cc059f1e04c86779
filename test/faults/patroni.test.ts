// docs/scale.md shows the files with which the cluster was tried.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { etcdConfiguration, haproxyConfiguration, MACHINES, patroniConfiguration } from './patroni.js'

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/scale.md'), 'utf8')
const [first] = MACHINES

it.each([
  ['/etc/default/etcd', () => etcdConfiguration(first)],
  ['/etc/patroni/config.yml', () => patroniConfiguration(first)],
  ['/etc/haproxy/haproxy.cfg', () => haproxyConfiguration()],
])('docs/scale.md shows %s as it is written', (file, configuration) => {
  expect(page).toContain(`\`${file}\``)
  expect(page).toContain(`\n${configuration()}\`\`\``)
})
