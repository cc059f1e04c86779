// Reads mutations.txt: the rules that carry the service, each with one way to break it. A line at the margin
// names a file and the test files that must notice; without any it is the test file beside it. Below it stand
// the rules, each with the text that is replaced (-) and the text that replaces it (+, absent: nothing). The
// first stands once in its file. Names are below packages/ishtirak/src, or of the repository's root if they
// begin with a slash. Run by `npm run nightly -- mutate`.
import { readFileSync } from 'node:fs'

const placed = (name) => (name.startsWith('/') ? name.slice(1) : `packages/ishtirak/src/${name}`)

export const mutations = readFileSync(new URL('mutations.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n\n')
  .flatMap((group) => {
    const [head = '', ...rules] = group.split(/\n {2}(?! )/)
    const [file = '', tests = file.replace(/\.tsx?$/, '.test.ts')] = head.split(': ')
    return rules.map((text) => {
      const [rule, ...lines] = text.split('\n')
      const marked = (mark) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(6))
      const [from, to] = ['    - ', '    + '].map((mark) => marked(mark).join('\n'))
      return { rule, file: placed(file), from, to, tests: tests.split(' ').map(placed) }
    })
  })
